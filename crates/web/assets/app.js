var un=Object.defineProperty;var dn=Object.getOwnPropertyDescriptor;var u=(n,i,e,t)=>{for(var s=t>1?void 0:t?dn(i,e):i,r=n.length-1,o;r>=0;r--)(o=n[r])&&(s=(t?o(i,e,s):o(s))||s);return t&&s&&un(i,e,s),s};/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var bt=globalThis,wt=bt.ShadowRoot&&(bt.ShadyCSS===void 0||bt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,
Ps=Symbol(),Cs=new WeakMap,$t=class{constructor(i,e,t){if(this._$cssResult$=!0,t!==Ps)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` inst\
ead.");this.cssText=i,this.t=e}get styleSheet(){let i=this.o,e=this.t;if(wt&&i===void 0){let t=e!==void 0&&e.length===1;t&&(i=Cs.get(e)),i===void 0&&((this.o=i=
new CSSStyleSheet).replaceSync(this.cssText),t&&Cs.set(e,i))}return i}toString(){return this.cssText}},Os=n=>new $t(typeof n=="string"?n:n+"",void 0,Ps);var Ls=(n,i)=>{if(wt)n.adoptedStyleSheets=i.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of i){let t=document.createElement("style"),s=bt.litNonce;
s!==void 0&&t.setAttribute("nonce",s),t.textContent=e.cssText,n.appendChild(t)}},is=wt?n=>n:n=>n instanceof CSSStyleSheet?(i=>{let e="";for(let t of i.cssRules)
e+=t.cssText;return Os(e)})(n):n;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:pn,defineProperty:mn,getOwnPropertyDescriptor:fn,getOwnPropertyNames:gn,getOwnPropertySymbols:yn,getPrototypeOf:vn}=Object,St=globalThis,Is=St.trustedTypes,
bn=Is?Is.emptyScript:"",$n=St.reactiveElementPolyfillSupport,et=(n,i)=>n,tt={toAttribute(n,i){switch(i){case Boolean:n=n?bn:null;break;case Object:case Array:n=
n==null?n:JSON.stringify(n)}return n},fromAttribute(n,i){let e=n;switch(i){case Boolean:e=n!==null;break;case Number:e=n===null?null:Number(n);break;case Object:case Array:
try{e=JSON.parse(n)}catch{e=null}}return e}},kt=(n,i)=>!pn(n,i),Fs={attribute:!0,type:String,converter:tt,reflect:!1,useDefault:!1,hasChanged:kt};Symbol.metadata??=
Symbol("metadata"),St.litPropertyMetadata??=new WeakMap;var ne=class extends HTMLElement{static addInitializer(i){this._$Ei(),(this.l??=[]).push(i)}static get observedAttributes(){
return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(i,e=Fs){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(i)&&
((e=Object.create(e)).wrapped=!0),this.elementProperties.set(i,e),!e.noAccessor){let t=Symbol(),s=this.getPropertyDescriptor(i,t,e);s!==void 0&&mn(this.prototype,
i,s)}}static getPropertyDescriptor(i,e,t){let{get:s,set:r}=fn(this.prototype,i)??{get(){return this[e]},set(o){this[e]=o}};return{get:s,set(o){let a=s?.call(this);
r?.call(this,o),this.requestUpdate(i,a,t)},configurable:!0,enumerable:!0}}static getPropertyOptions(i){return this.elementProperties.get(i)??Fs}static _$Ei(){if(this.
hasOwnProperty(et("elementProperties")))return;let i=vn(this);i.finalize(),i.l!==void 0&&(this.l=[...i.l]),this.elementProperties=new Map(i.elementProperties)}static finalize(){
if(this.hasOwnProperty(et("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(et("properties"))){let e=this.properties,t=[...gn(e),...yn(e)];
for(let s of t)this.createProperty(s,e[s])}let i=this[Symbol.metadata];if(i!==null){let e=litPropertyMetadata.get(i);if(e!==void 0)for(let[t,s]of e)this.elementProperties.
set(t,s)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let s=this._$Eu(e,t);s!==void 0&&this._$Eh.set(s,e)}this.elementStyles=this.finalizeStyles(this.
styles)}static finalizeStyles(i){let e=[];if(Array.isArray(i)){let t=new Set(i.flat(1/0).reverse());for(let s of t)e.unshift(is(s))}else i!==void 0&&e.push(is(i));
return e}static _$Eu(i,e){let t=e.attribute;return t===!1?void 0:typeof t=="string"?t:typeof i=="string"?i.toLowerCase():void 0}constructor(){super(),this._$Ep=
void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(i=>this.enableUpdating=i),this._$AL=new Map,this._$E_(),
this.requestUpdate(),this.constructor.l?.forEach(i=>i(this))}addController(i){(this._$EO??=new Set).add(i),this.renderRoot!==void 0&&this.isConnected&&i.hostConnected?.()}removeController(i){
this._$EO?.delete(i)}_$E_(){let i=new Map,e=this.constructor.elementProperties;for(let t of e.keys())this.hasOwnProperty(t)&&(i.set(t,this[t]),delete this[t]);i.
size>0&&(this._$Ep=i)}createRenderRoot(){let i=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Ls(i,this.constructor.elementStyles),
i}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(i=>i.hostConnected?.())}enableUpdating(i){}disconnectedCallback(){
this._$EO?.forEach(i=>i.hostDisconnected?.())}attributeChangedCallback(i,e,t){this._$AK(i,t)}_$ET(i,e){let t=this.constructor.elementProperties.get(i),s=this.constructor.
_$Eu(i,t);if(s!==void 0&&t.reflect===!0){let r=(t.converter?.toAttribute!==void 0?t.converter:tt).toAttribute(e,t.type);this._$Em=i,r==null?this.removeAttribute(
s):this.setAttribute(s,r),this._$Em=null}}_$AK(i,e){let t=this.constructor,s=t._$Eh.get(i);if(s!==void 0&&this._$Em!==s){let r=t.getPropertyOptions(s),o=typeof r.
converter=="function"?{fromAttribute:r.converter}:r.converter?.fromAttribute!==void 0?r.converter:tt;this._$Em=s;let a=o.fromAttribute(e,r.type);this[s]=a??this.
_$Ej?.get(s)??a,this._$Em=null}}requestUpdate(i,e,t,s=!1,r){if(i!==void 0){let o=this.constructor;if(s===!1&&(r=this[i]),t??=o.getPropertyOptions(i),!((t.hasChanged??
kt)(r,e)||t.useDefault&&t.reflect&&r===this._$Ej?.get(i)&&!this.hasAttribute(o._$Eu(i,t))))return;this.C(i,e,t)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(i,e,{
useDefault:t,reflect:s,wrapped:r},o){t&&!(this._$Ej??=new Map).has(i)&&(this._$Ej.set(i,o??e??this[i]),r!==!0||o!==void 0)||(this._$AL.has(i)||(this.hasUpdated||
t||(e=void 0),this._$AL.set(i,e)),s===!0&&this._$Em!==i&&(this._$Eq??=new Set).add(i))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.
reject(e)}let i=this.scheduleUpdate();return i!=null&&await i,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)
return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[s,r]of this._$Ep)this[s]=r;this._$Ep=void 0}let t=this.constructor.elementProperties;
if(t.size>0)for(let[s,r]of t){let{wrapped:o}=r,a=this[s];o!==!0||this._$AL.has(s)||a===void 0||this.C(s,void 0,r,a)}}let i=!1,e=this._$AL;try{i=this.shouldUpdate(
e),i?(this.willUpdate(e),this._$EO?.forEach(t=>t.hostUpdate?.()),this.update(e)):this._$EM()}catch(t){throw i=!1,this._$EM(),t}i&&this._$AE(e)}willUpdate(i){}_$AE(i){
this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(i)),this.updated(i)}_$EM(){this._$AL=new Map,this.isUpdatePending=
!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(i){return!0}update(i){this._$Eq&&=this._$Eq.forEach(e=>this.
_$ET(e,this[e])),this._$EM()}updated(i){}firstUpdated(i){}};ne.elementStyles=[],ne.shadowRootOptions={mode:"open"},ne[et("elementProperties")]=new Map,ne[et("fi\
nalized")]=new Map,$n?.({ReactiveElement:ne}),(St.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var rs=globalThis,qs=n=>n,xt=rs.trustedTypes,Hs=xt?xt.createPolicy("lit-html",{createHTML:n=>n}):void 0,os="$lit$",re=`lit$${Math.random().toFixed(9).slice(2)}\
$`,as="?"+re,wn=`<${as}>`,Te=document,it=()=>Te.createComment(""),nt=n=>n===null||typeof n!="object"&&typeof n!="function",ls=Array.isArray,js=n=>ls(n)||typeof n?.[Symbol.
iterator]=="function",ns=`[ 	
\f\r]`,st=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ds=/-->/g,Ns=/>/g,xe=RegExp(`>|${ns}(?:([^\\s"'>=/]+)(${ns}*=${ns}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Bs=/'/g,zs=/"/g,Ws=/^(?:script|style|textarea|title)$/i,hs=n=>(i,...e)=>({_$litType$:n,strings:i,values:e}),h=hs(1),F=hs(2),uo=hs(
3),V=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),Us=new WeakMap,Ee=Te.createTreeWalker(Te,129);function Ks(n,i){if(!ls(n)||!n.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return Hs!==void 0?Hs.createHTML(i):i}var Vs=(n,i)=>{let e=n.length-1,t=[],s,r=i===2?"<svg>":i===3?"<math>":"",o=st;for(let a=0;a<
e;a++){let l=n[a],c,d,p=-1,v=0;for(;v<l.length&&(o.lastIndex=v,d=o.exec(l),d!==null);)v=o.lastIndex,o===st?d[1]==="!--"?o=Ds:d[1]!==void 0?o=Ns:d[2]!==void 0?(Ws.
test(d[2])&&(s=RegExp("</"+d[2],"g")),o=xe):d[3]!==void 0&&(o=xe):o===xe?d[0]===">"?(o=s??st,p=-1):d[1]===void 0?p=-2:(p=o.lastIndex-d[2].length,c=d[1],o=d[3]===
void 0?xe:d[3]==='"'?zs:Bs):o===zs||o===Bs?o=xe:o===Ds||o===Ns?o=st:(o=xe,s=void 0);let y=o===xe&&n[a+1].startsWith("/>")?" ":"";r+=o===st?l+wn:p>=0?(t.push(c),
l.slice(0,p)+os+l.slice(p)+re+y):l+re+(p===-2?a:y)}return[Ks(n,r+(n[e]||"<?>")+(i===2?"</svg>":i===3?"</math>":"")),t]},rt=class n{constructor({strings:i,_$litType$:e},t){
let s;this.parts=[];let r=0,o=0,a=i.length-1,l=this.parts,[c,d]=Vs(i,e);if(this.el=n.createElement(c,t),Ee.currentNode=this.el.content,e===2||e===3){let p=this.
el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(s=Ee.nextNode())!==null&&l.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let p of s.getAttributeNames())
if(p.endsWith(os)){let v=d[o++],y=s.getAttribute(p).split(re),$=/([.?@])?(.*)/.exec(v);l.push({type:1,index:r,name:$[2],strings:y,ctor:$[1]==="."?Tt:$[1]==="?"?
Mt:$[1]==="@"?At:Ae}),s.removeAttribute(p)}else p.startsWith(re)&&(l.push({type:6,index:r}),s.removeAttribute(p));if(Ws.test(s.tagName)){let p=s.textContent.split(
re),v=p.length-1;if(v>0){s.textContent=xt?xt.emptyScript:"";for(let y=0;y<v;y++)s.append(p[y],it()),Ee.nextNode(),l.push({type:2,index:++r});s.append(p[v],it())}}}else if(s.
nodeType===8)if(s.data===as)l.push({type:2,index:r});else{let p=-1;for(;(p=s.data.indexOf(re,p+1))!==-1;)l.push({type:7,index:r}),p+=re.length-1}r++}}static createElement(i,e){
let t=Te.createElement("template");return t.innerHTML=i,t}};function Me(n,i,e=n,t){if(i===V)return i;let s=t!==void 0?e._$Co?.[t]:e._$Cl,r=nt(i)?void 0:i._$litDirective$;
return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(n),s._$AT(n,e,t)),t!==void 0?(e._$Co??=[])[t]=s:e._$Cl=s),s!==void 0&&(i=Me(n,s._$AS(n,i.
values),s,t)),i}var Et=class{constructor(i,e){this._$AV=[],this._$AN=void 0,this._$AD=i,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(i){let{el:{content:e},parts:t}=this._$AD,s=(i?.creationScope??Te).importNode(e,!0);Ee.currentNode=s;let r=Ee.nextNode(),o=0,a=0,l=t[0];for(;l!==void 0;){
if(o===l.index){let c;l.type===2?c=new De(r,r.nextSibling,this,i):l.type===1?c=new l.ctor(r,l.name,l.strings,this,i):l.type===6&&(c=new _t(r,this,i)),this._$AV.
push(c),l=t[++a]}o!==l?.index&&(r=Ee.nextNode(),o++)}return Ee.currentNode=Te,s}p(i){let e=0;for(let t of this._$AV)t!==void 0&&(t.strings!==void 0?(t._$AI(i,t,
e),e+=t.strings.length-2):t._$AI(i[e])),e++}},De=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(i,e,t,s){this.type=2,this._$AH=m,this._$AN=void 0,
this._$AA=i,this._$AB=e,this._$AM=t,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let i=this._$AA.parentNode,e=this._$AM;return e!==void 0&&i?.nodeType===
11&&(i=e.parentNode),i}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(i,e=this){i=Me(this,i,e),nt(i)?i===m||i==null||i===""?(this._$AH!==m&&
this._$AR(),this._$AH=m):i!==this._$AH&&i!==V&&this._(i):i._$litType$!==void 0?this.$(i):i.nodeType!==void 0?this.T(i):js(i)?this.k(i):this._(i)}O(i){return this.
_$AA.parentNode.insertBefore(i,this._$AB)}T(i){this._$AH!==i&&(this._$AR(),this._$AH=this.O(i))}_(i){this._$AH!==m&&nt(this._$AH)?this._$AA.nextSibling.data=i:this.
T(Te.createTextNode(i)),this._$AH=i}$(i){let{values:e,_$litType$:t}=i,s=typeof t=="number"?this._$AC(i):(t.el===void 0&&(t.el=rt.createElement(Ks(t.h,t.h[0]),this.
options)),t);if(this._$AH?._$AD===s)this._$AH.p(e);else{let r=new Et(s,this),o=r.u(this.options);r.p(e),this.T(o),this._$AH=r}}_$AC(i){let e=Us.get(i.strings);return e===
void 0&&Us.set(i.strings,e=new rt(i)),e}k(i){ls(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,t,s=0;for(let r of i)s===e.length?e.push(t=new n(this.O(it()),
this.O(it()),this,this.options)):t=e[s],t._$AI(r),s++;s<e.length&&(this._$AR(t&&t._$AB.nextSibling,s),e.length=s)}_$AR(i=this._$AA.nextSibling,e){for(this._$AP?.(
!1,!0,e);i!==this._$AB;){let t=qs(i).nextSibling;qs(i).remove(),i=t}}setConnected(i){this._$AM===void 0&&(this._$Cv=i,this._$AP?.(i))}},Ae=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(i,e,t,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=i,this.name=e,this._$AM=s,this.options=
r,t.length>2||t[0]!==""||t[1]!==""?(this._$AH=Array(t.length-1).fill(new String),this.strings=t):this._$AH=m}_$AI(i,e=this,t,s){let r=this.strings,o=!1;if(r===void 0)
i=Me(this,i,e,0),o=!nt(i)||i!==this._$AH&&i!==V,o&&(this._$AH=i);else{let a=i,l,c;for(i=r[0],l=0;l<r.length-1;l++)c=Me(this,a[t+l],e,l),c===V&&(c=this._$AH[l]),
o||=!nt(c)||c!==this._$AH[l],c===m?i=m:i!==m&&(i+=(c??"")+r[l+1]),this._$AH[l]=c}o&&!s&&this.j(i)}j(i){i===m?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,i??"")}},Tt=class extends Ae{constructor(){super(...arguments),this.type=3}j(i){this.element[this.name]=i===m?void 0:i}},Mt=class extends Ae{constructor(){
super(...arguments),this.type=4}j(i){this.element.toggleAttribute(this.name,!!i&&i!==m)}},At=class extends Ae{constructor(i,e,t,s,r){super(i,e,t,s,r),this.type=
5}_$AI(i,e=this){if((i=Me(this,i,e,0)??m)===V)return;let t=this._$AH,s=i===m&&t!==m||i.capture!==t.capture||i.once!==t.once||i.passive!==t.passive,r=i!==m&&(t===
m||s);s&&this.element.removeEventListener(this.name,this,t),r&&this.element.addEventListener(this.name,this,i),this._$AH=i}handleEvent(i){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,i):this._$AH.handleEvent(i)}},_t=class{constructor(i,e,t){this.element=i,this.type=6,this._$AN=void 0,this.
_$AM=e,this.options=t}get _$AU(){return this._$AM._$AU}_$AI(i){Me(this,i)}},Gs={M:os,P:re,A:as,C:1,L:Vs,R:Et,D:js,V:Me,I:De,H:Ae,N:Mt,U:At,B:Tt,F:_t},Sn=rs.litHtmlPolyfillSupport;
Sn?.(rt,De),(rs.litHtmlVersions??=[]).push("3.3.3");var Ys=(n,i,e)=>{let t=e?.renderBefore??i,s=t._$litPart$;if(s===void 0){let r=e?.renderBefore??null;t._$litPart$=
s=new De(i.insertBefore(it(),r),r,void 0,e??{})}return s._$AI(n),s};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var cs=globalThis,pe=class extends ne{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let i=super.createRenderRoot();
return this.renderOptions.renderBefore??=i.firstChild,i}update(i){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(
i),this._$Do=Ys(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),
this._$Do?.setConnected(!1)}render(){return V}};pe._$litElement$=!0,pe.finalized=!0,cs.litElementHydrateSupport?.({LitElement:pe});var kn=cs.litElementPolyfillSupport;
kn?.({LitElement:pe});(cs.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var x=n=>(i,e)=>{e!==void 0?e.addInitializer(()=>{customElements.define(n,i)}):customElements.define(n,i)};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var xn={attribute:!0,type:String,converter:tt,reflect:!1,hasChanged:kt},En=(n=xn,i,e)=>{let{kind:t,metadata:s}=e,r=globalThis.litPropertyMetadata.get(s);if(r===
void 0&&globalThis.litPropertyMetadata.set(s,r=new Map),t==="setter"&&((n=Object.create(n)).wrapped=!0),r.set(e.name,n),t==="accessor"){let{name:o}=e;return{set(a){
let l=i.get.call(this);i.set.call(this,a),this.requestUpdate(o,l,n,!0,a)},init(a){return a!==void 0&&this.C(o,void 0,n,a),a}}}if(t==="setter"){let{name:o}=e;return function(a){
let l=this[o];i.call(this,a),this.requestUpdate(o,l,n,!0,a)}}throw Error("Unsupported decorator location: "+t)};function b(n){return(i,e)=>typeof e=="object"?En(
n,i,e):((t,s,r)=>{let o=s.hasOwnProperty(r);return s.constructor.createProperty(r,t),o?Object.getOwnPropertyDescriptor(s,r):void 0})(n,i,e)}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function g(n){return b({...n,state:!0,attribute:!1})}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var _e=(n,i,e)=>(e.configurable=!0,e.enumerable=!0,Reflect.decorate&&typeof i!="object"&&Object.defineProperty(n,i,e),e);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function me(n,i){return(e,t,s)=>{let r=o=>o.renderRoot?.querySelector(n)??null;if(i){let{get:o,set:a}=typeof t=="object"?e:s??(()=>{let l=Symbol();return{get(){
return this[l]},set(c){this[l]=c}}})();return _e(e,t,{get(){let l=o.call(this);return l===void 0&&(l=r(this),(l!==null||this.hasUpdated)&&a.call(this,l)),l}})}return _e(
e,t,{get(){return r(this)}})}}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Rt={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Ct=n=>(...i)=>({_$litDirective$:n,values:i}),Ne=class{constructor(i){}get _$AU(){
return this._$AM._$AU}_$AT(i,e,t){this._$Ct=i,this._$AM=e,this._$Ci=t}_$AS(i,e){return this.update(i,e)}update(i,e){return this.render(...e)}};var us=class extends Ne{constructor(i){if(super(i),i.type!==Rt.ATTRIBUTE||i.name!=="style")throw new Error("styles() belongs into `style`")}render(i){return V}update(i,[
e]){let{style:t}=i.element;for(let[s,r]of Object.entries(e))t.setProperty(s,r);return V}},L=Ct(us);var U=class extends Error{constructor(i,e=null){super(i),this.hint=e}};function Be(n){return(n.title??"").replace(/^user: /,"")||"Untitled branch"}function q(n){
return n instanceof U?n.hint?`${n.message} ${n.hint}`:n.message:n instanceof Error?n.message:String(n)}function Xs(n){let i=n.reduce((s,[,r])=>s+r,0),e=new Int32Array(
i),t=0;for(let[s,r]of n)for(let o=0;o<r;o+=1)e[t++]=s+o;return e}function ze(n){return{at:n.at??0,parent:n.parent??null,id:n.id??"",kind:n.kind??"note",who:n.who??
"",what:n.what??null,particulars:n.particulars??[],label:n.label??null,time:n.time??null,isError:!!n.isError,isFolded:!!n.isFolded,summary:n.summary??"",body:n.
body??[],calls:n.calls??[]}}var E=class extends pe{createRenderRoot(){return this}};function fe(n){let i=document.getElementById("announcer");i&&i.textContent!==n&&(i.textContent=n)}function H(n){
window.dispatchEvent(new CustomEvent("toast",{detail:n}))}function w(n){n.catch(i=>H(q(i)))}function Y(n,i){let e=0;return(...t)=>{clearTimeout(e),e=window.setTimeout(
()=>i(...t),n)}}async function ge(n){try{await navigator.clipboard.writeText(n)}catch{let i=document.createElement("textarea");i.value=n,document.body.append(i),
i.select(),document.execCommand("copy"),i.remove()}}var oe=[{tab:"",name:"Conversation",key:"1"},{tab:"lanes",name:"Lanes",key:"2"},{tab:"tree",name:"Graph",key:"3"},{tab:"family",name:"Family",key:"4"},{tab:"con\
text",name:"Context",key:"5"},{tab:"request",name:"Requests",key:"6"}];function ot(n){let i=n.replace(/^#/,"");if(i!==""&&!i.startsWith("/"))return{view:"sessio\
n",key:"",tab:"",parameters:new URLSearchParams,entry:Qs(i)};let[e="",t=""]=i.split(/\?(.*)/s),[s,r,o]=e.split("/").filter(Boolean).map(Qs),a=new URLSearchParams(
t),l=oe.find(c=>c.tab===o)?.tab??"";return s==="session"&&r?{view:s,key:r,tab:l,parameters:a,entry:""}:s==="spend"||s==="stats"?{view:s,key:"",tab:"",parameters:a,
entry:""}:{view:"sessions",key:"",tab:"",parameters:a,entry:""}}function Qs(n){try{return decodeURIComponent(n)}catch{return n}}function Zs(n,i){let e=new URLSearchParams;
for(let[s,r]of Object.entries(i))r!=null&&r!==""&&e.set(s,String(r));let t=e.toString();return t?`#/${n}?${t}`:`#/${n}`}function R(n,i={}){return Zs(n==="sessio\
ns"?"":n,i)}function A(n,i="",e={}){return Zs(`session/${encodeURIComponent(n)}${i?`/${i}`:""}`,e)}function Ue(n,i){let e=Object.fromEntries(n.parameters);return n.
view==="session"?A(n.key,n.tab,{...e,...i}):R(n.view,{...e,...i})}function P(n,i=!1){n===location.hash||n==="#/"&&location.hash===""||(i?history.replaceState(null,
"",n):history.pushState(null,"",n),window.dispatchEvent(new Event("route")))}var Js=new Intl.NumberFormat("en-US"),Tn=new Intl.NumberFormat("en-US",{notation:"compact",maximumFractionDigits:1}),ei=new Intl.DateTimeFormat("en-US",{hour:"n\
umeric",minute:"2-digit"}),Mn=new Intl.DateTimeFormat("en-US",{month:"short",day:"numeric"}),An=new Intl.DateTimeFormat("en-US",{year:"numeric",month:"short",day:"\
numeric"}),_n=new Intl.DateTimeFormat("en-US",{dateStyle:"medium",timeStyle:"medium"}),Rn=864e5;function f(n){return Js.format(n)}function I(n){return n<1e3?Js.
format(Math.round(n)):Tn.format(n).toLowerCase()}function k(n,i,e=`${i}s`){return`${f(n)} ${n===1?i:e}`}function Re(n){return n===null?"\u2013":n===0?"$0":n<.01?
"<$0.01":`$${n.toLocaleString("en-US",{minimumFractionDigits:2,maximumFractionDigits:2})}`}function ye(n){if(n===null)return"";let i=new Date(n),e=new Date;return i.
toDateString()===e.toDateString()?ei.format(i):e.getTime()-n<300*Rn?Mn.format(i):An.format(i)}function ti(n){return n===null?"":ei.format(new Date(n))}function Ce(n){
return n===null?"":_n.format(new Date(n))}function G(n,i=2){let e=n.split("/").filter(Boolean);return e.length<=i?n:e.slice(-i).join("/")}function T(n,i=160){let e=n.
replace(/\s+/g," ").trim();return e.length>i?`${e.slice(0,i-1)}\u2026`:e}var Pe=1e3,ae=240,Cn=250,Pn=10,ve=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.selected=-1;this.loadedAs="";this.pressed=
e=>{let t=Pt(this.facts?.turns??[]),r={ArrowLeft:-1,ArrowRight:1,PageUp:-10,PageDown:10,Home:-t.length,End:t.length}[e.key],o=t[this.selected]?.turn;if(e.key===
"Enter"&&o)P(this.link(o.at));else if(r!==void 0)this.selected=Math.max(0,Math.min(t.length-1,this.selected+r));else return;e.preventDefault(),e.stopPropagation()};
this.pointed=e=>{let t=e.currentTarget.getBoundingClientRect(),s=Pt(this.facts?.turns??[]);this.selected=Math.max(0,Math.min(s.length-1,Math.floor((e.clientX-t.
left)/t.width*s.length)))}}willUpdate(e){let t=`${this.model.key} ${this.model.leaf}`;t===this.loadedAs||!this.model.facts||(this.loadedAs=t,w(this.load()))}async load(){
let e=await this.model.source.context(this.model.key,this.model.leaf);this.facts=e;let t=Pt(e.turns),s=this.at===null?-1:t.findIndex(({turn:r})=>r.at>=(this.at??
0));this.selected=s>=0?s:t.length-1}link(e){return A(this.model.key,"",{leaf:this.model.leaf===this.model.facts?.leaf?null:this.model.leaf,e})}chart(e,t){let s=e.
parts.map(({name:d})=>d),r=Math.max(1,...t.map(({turn:d})=>d.total)),o=e.window!==null&&r>=e.window/Pn,a=o?Math.max(r,(e.window??0)*1.04):r,l=t[this.selected],c=l?
`Turn ${l.number}: ${f(l.turn.total)} tokens`:"";return h`<div class="chart-frame"><div class="chart-axis" aria-hidden="true"><span>${I(a)}</span><span>${I(a/2)}</span><span>0</span></div>
      <svg class="context-chart" viewBox="0 0 ${Pe} ${ae}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by turn"
        aria-valuemin="1" aria-valuemax=${Math.max(1,t.length)} aria-valuenow=${this.selected+1} aria-valuetext=${c} @keydown=${this.pressed} @pointermove=${this.
pointed}
        @click=${()=>l&&P(this.link(l.turn.at))}>
        ${t.map((d,p)=>On(d,p,t.length,s,a))}
        ${t.map((d,p)=>d.compacts?F`<line class="compaction" x1=${p*Pe/t.length} x2=${p*Pe/t.length} y1="0" y2=${ae}></line>`:m)}
        ${e.window&&o?F`<line class="limit" x1="0" x2=${Pe} y1=${ae-e.window/a*ae} y2=${ae-e.window/a*ae}></line>`:m}
        ${l?F`<rect class="selected" x=${this.selected*Pe/t.length} width=${Pe/t.length} y="0" height=${ae}></rect>`:m}
      </svg>${e.window&&o?h`<span class="limit-name" style=${L({"--at":String(1-e.window/a)})}>window: ${I(e.window)}</span>`:m}</div>
      ${e.window&&!o?h`<p class="muted">The model’s context window (${I(e.window)} tokens) is far above this chart.</p>`:m}
      ${l?this.readout(l,s):m}`}readout({turn:e,number:t,compacts:s},r){return h`<p class="readout"><span><a href=${this.link(e.at)}>Turn ${f(t)}</a>: <b>${f(e.
total)}</b> tokens${e.reported?h` (${f(e.reported)} reported)`:m}${s?", after a compaction":""}</span>
      ${r.map((o,a)=>e.parts[o]?h`<span class=${`key series-${a%8}`}>${o} ${I(e.parts[o]??0)}</span>`:m)}</p>`}render(){let e=this.facts;if(!e)return h`<div class="page-pad"><p class="muted">Computing the context…</p></div>`;
let t=Pt(e.turns),s=Math.max(1,...e.largest.map(({tokens:o})=>o)),r=t.filter(({compacts:o})=>o).length;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${I(e.total)}</b><span>tokens now</span></div>
        ${e.window?h`<div><b>${Math.round(e.total/e.window*100)}%</b><span>of the model’s ${I(e.window)}</span></div>`:m}
        <div><b>${f(e.turns.length)}</b><span>turns</span></div><div><b>${f(r)}</b><span>${r===1?"compaction":"compactions"}</span></div>
      </div>
      <section class="card"><h2>Context by turn</h2>${t.length===0?h`<p class="muted">No request was sent on this branch.</p>`:this.chart(e,t)}</section>
      <div class="columns">
        <section class="card"><h2>Now</h2>${e.parts.map(({name:o,tokens:a},l)=>si(o,a,Math.max(1,...e.parts.map(c=>c.tokens)),`series-${l%8}`,null))}</section>
        <section class="card"><h2>Largest things</h2>${e.largest.map(({at:o,what:a,tokens:l})=>si(T(a,110),l,s,"series-2",this.link(o)))}
          ${e.largest.length===0?h`<p class="muted">Nothing yet.</p>`:m}</section>
      </div>
      <p class="muted">${k(e.turns.length,"turn")}; sizes are estimates, as Pi makes them.${e.window?"":" The size of the model\u2019s context window is not known."}</p>
    </div>`}};u([b({attribute:!1})],ve.prototype,"model",2),u([b({attribute:!1})],ve.prototype,"at",2),u([g()],ve.prototype,"facts",2),u([g()],ve.prototype,"sel\
ected",2),ve=u([x("pt-context")],ve);function On({turn:n},i,e,t,s){let r=Pe/e,o=e>80?0:1.5,a=0;return t.map((l,c)=>{let d=(n.parts[l]??0)/s*ae;return a+=d,F`<rect class=${`\
series-${c%8}`} x=${i*r} y=${ae-a} width=${r-o} height=${d}></rect>`})}function si(n,i,e,t,s){let r=h`<span class="bar-name">${n}</span><span class="bar-value">${I(
i)}</span><span class=${`bar-fill ${t}`} style=${L({width:`${i/e*100}%`})}></span>`;return s===null?h`<div class="bar">${r}</div>`:h`<a class="bar" href=${s}>${r}</a>`}
function Pt(n){let i=Math.max(1,Math.ceil(n.length/Cn)),e=[];for(let t=0;t<n.length;t+=i){let s=n.slice(t,t+i),r=s.reduce((o,a)=>a.total>o.total?a:o);e.push({turn:r,
number:t+s.indexOf(r)+1,compacts:s.some(({compaction:o})=>o)})}return e}/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:Ln}=Gs,ii=n=>n;var ni=()=>document.createComment(""),je=(n,i,e)=>{let t=n._$AA.parentNode,s=i===void 0?n._$AB:i._$AA;if(e===void 0){let r=t.insertBefore(ni(),s),o=t.insertBefore(
ni(),s);e=new Ln(r,o,n,n.options)}else{let r=e._$AB.nextSibling,o=e._$AM,a=o!==n;if(a){let l;e._$AQ?.(n),e._$AM=n,e._$AP!==void 0&&(l=n._$AU)!==o._$AU&&e._$AP(l)}
if(r!==s||a){let l=e._$AA;for(;l!==r;){let c=ii(l).nextSibling;ii(t).insertBefore(l,s),l=c}}}return e},be=(n,i,e=n)=>(n._$AI(i,e),n),In={},ri=(n,i=In)=>n._$AH=i,
oi=n=>n._$AH,Ot=n=>{n._$AR(),n._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var ai=(n,i,e)=>{let t=new Map;for(let s=i;s<=e;s++)t.set(n[s],s);return t},We=Ct(class extends Ne{constructor(n){if(super(n),n.type!==Rt.CHILD)throw Error("\
repeat() can only be used in text expressions")}dt(n,i,e){let t;e===void 0?e=i:i!==void 0&&(t=i);let s=[],r=[],o=0;for(let a of n)s[o]=t?t(a,o):o,r[o]=e(a,o),o++;
return{values:r,keys:s}}render(n,i,e){return this.dt(n,i,e).values}update(n,[i,e,t]){let s=oi(n),{values:r,keys:o}=this.dt(i,e,t);if(!Array.isArray(s))return this.
ut=o,r;let a=this.ut??=[],l=[],c,d,p=0,v=s.length-1,y=0,$=r.length-1;for(;p<=v&&y<=$;)if(s[p]===null)p++;else if(s[v]===null)v--;else if(a[p]===o[y])l[y]=be(s[p],
r[y]),p++,y++;else if(a[v]===o[$])l[$]=be(s[v],r[$]),v--,$--;else if(a[p]===o[$])l[$]=be(s[p],r[$]),je(n,l[$+1],s[p]),p++,$--;else if(a[v]===o[y])l[y]=be(s[v],r[y]),
je(n,s[p],s[v]),v--,y++;else if(c===void 0&&(c=ai(o,y,$),d=ai(a,p,v)),c.has(a[p]))if(c.has(a[v])){let S=d.get(o[y]),O=S!==void 0?s[S]:null;if(O===null){let C=je(
n,s[p]);be(C,r[y]),l[y]=C}else l[y]=be(O,r[y]),je(n,s[p],O),s[S]=null;y++}else Ot(s[v]),v--;else Ot(s[p]),p++;for(;y<=$;){let S=je(n,l[$+1]);be(S,r[y]),l[y++]=S}
for(;p<=v;){let S=s[p++];S!==null&&Ot(S)}return this.ut=o,ri(n,l),V}});function li(n){return typeof n=="object"?n.key:n}function hi(n,i){let e=n.length;return new Proxy(n,{get(t,s,r){if(typeof s=="string"){let o=s.charCodeAt(0);if(o>=
48&&o<=57){let a=+s;if(Number.isInteger(a)&&a>=0&&a<e){let l=t[a];if(typeof l!="object"){let c=i[a*2];l=t[a]={index:a,key:l,start:c,size:i[a*2+1],end:c+i[a*2+1],
lane:0}}return l}}if(s==="length")return e}return Reflect.get(t,s,r)}})}function Oe(n,i,e){let t=e.initialDeps??[],s,r=!0;function o(){var a;let c=0,d=n();if(!(d.length!==t.length||d.some((y,$)=>t[$]!==y)))return s;t=d;let v=0;return s=
i(...d),e?.onChange&&!(r&&e.skipInitialOnChange)&&e.onChange(s),r=!1,s}return o.updateDeps=a=>{t=a},o}function ds(n,i){if(n===void 0)throw new Error(`Unexpected\
 undefined${i?`: ${i}`:""}`);return n}var le=(n,i)=>Math.abs(n-i)<1.01,ci=(n,i,e)=>{let t;return Object.assign(function(...s){n.clearTimeout(t),t=n.setTimeout(()=>i.
apply(this,s),e)},{cancel:()=>{n.clearTimeout(t)}})};function ui({offset:n,isScrolling:i,elementMax:e,holdOffset:t,scrollOffset:s,pendingWrite:r,clampedMaxAtWrite:o}){var a;return i&&r===null&&n===s?"spurious":r!==
null&&Math.abs(n-r.target)<1.5?"readBack":r!==null&&!r.smooth&&e!==null&&r.target>e+t+.5&&Math.abs(n-(e+t))<1.5||r!==null&&!r.smooth&&((a=r.lowMaxes)!=null&&a.some(
l=>Math.abs(n-l)<1.5))?"clampedReadBack":o!==null&&Math.abs(n-o)<1.5?"clampedEcho":"external"}var Fn=n=>n==="smooth"||n==="smoothFinishing";function di({kind:n,
offset:i,command:e,target:t}){return n!=="spurious"&&n!=="readBack"&&n!=="clampedReadBack"&&e?.index!=null&&e.phase!=="queued"&&!Fn(e.phase)&&!le(i,e.lastTargetOffset)&&
!le(i,t())&&n!=="clampedEcho"}var ps=40;function pi(n){let i=n[n.length-1];if(i===void 0)return!1;let e=n.length-2;for(;e>=0&&i.t-n[e].t<ps;)e--;if(e<0)return!1;
let t=n[e],s=e-1;for(;s>=0&&t.t-n[s].t<ps;)s--;if(s<0)return!1;let r=n[s],o=(i.offset-t.offset)/(i.t-t.t),a=(t.offset-r.offset)/(t.t-r.t);return o*a>=0&&Math.abs(
o)>=2*Math.abs(a)&&Math.abs(o)-Math.abs(a)>=.8}function mi(n){let i=n[n.length-1];if(i===void 0)return!1;let e=n.length-2;for(;e>=0&&i.t-n[e].t<ps;)e--;if(e<0)return!1;
let t=n[e];return Math.abs(i.offset-t.offset)/(i.t-t.t)>=.05}var at,lt=()=>{if(at!==void 0)return at;if(typeof navigator>"u")return at=!1;if(/iP(hone|od|ad)/.test(navigator.userAgent))return at=!0;let n=navigator.maxTouchPoints;
return at=navigator.platform==="MacIntel"&&n!==void 0&&n>0},ms,qn=()=>ms!==void 0?ms:ms=lt()&&typeof CSS<"u"&&typeof CSS.supports=="function"&&CSS.supports("ove\
rflow-anchor: auto"),fi=()=>!lt()||qn();var Ke={capture:!0,passive:!0},Lt=class{constructor(i){this.host=i,this._touch=null,this.inMotion=()=>this._touch!==null&&this._touch.phase!=="lateFling",this.dragging=
()=>{var e;return((e=this._touch)==null?void 0:e.phase)==="down"&&this._touch.moved},this.tail=()=>{var e;return((e=this._touch)==null?void 0:e.phase)==="tail"?
this._touch.moved?"fling":"tap":null},this.onScroll=({isScrolling:e,ownReadBack:t,moved:s,external:r})=>{var o,a,l;return e&&((o=this._touch)==null?void 0:o.phase)===
"tail"?this._openTail(this._touch.moved||!t,!1):((a=this._touch)==null?void 0:a.phase)==="lateFling"&&(this.host.now()>this._touch.until?this._touch=null:r&&e&&
s&&this._openTail(!0,!1)),!t&&e&&s&&((l=this._touch)==null?void 0:l.phase)==="down"?(this._touch.moved=!0,!0):!1},this.touchStart=()=>{this.end(),this._touch={phase:"\
down",moved:!1}},this.touchEnd=()=>{var e;let t=((e=this._touch)==null?void 0:e.phase)==="down"&&this._touch.moved;this.end(),this._openTail(t,t)},this.end=()=>{
var e;let t=this.host.getWindow();((e=this._touch)==null?void 0:e.phase)==="tail"&&t!=null&&t.clearTimeout(this._touch.timerId),this._touch=null},this.listen=e=>{
let t=()=>this.touchStart(),s=()=>this.touchEnd();return e.addEventListener("touchstart",t,Ke),e.addEventListener("touchend",s,Ke),e.addEventListener("touchcanc\
el",s,Ke),()=>{e.removeEventListener("touchstart",t,Ke),e.removeEventListener("touchend",s,Ke),e.removeEventListener("touchcancel",s,Ke),this.end()}},this._openTail=
(e,t)=>{let s=this.host.getWindow();if(s==null)return;this.end();let r={phase:"tail",moved:e,awaitingFling:t,timerId:s.setTimeout(()=>{if(this.host.tailStillMoving()){
this._openTail(r.moved,r.awaitingFling);return}this._touch=r.awaitingFling?{phase:"lateFling",until:this.host.now()+1e3}:null,this.host.onTailClosed()},150)};this.
_touch=r}}get touch(){return this._touch}};var gi=n=>{let{clientWidth:i,clientHeight:e}=n;return{width:i,height:e}},bi=n=>{let i=new Set;return{schedule:e=>{let t=n.requestAnimationFrame(()=>{i.delete(t),
e()});i.add(t)},cancel:()=>{i.forEach(e=>n.cancelAnimationFrame(e)),i.clear()}}},Hn=n=>n,fs=n=>{let i=n.overscan*Math.max(n.lanes??1,1),e=Math.max(n.startIndex-
i,0),s=Math.min(n.endIndex+i,n.count-1)-e+1,r=new Array(s);for(let o=0;o<s;o++)r[o]=e+o;return r},$i=(n,i)=>{let e=n.scrollElement;if(!e)return;let t=n.targetWindow;
if(!t)return;let s=a=>{let{width:l,height:c}=a;i({width:Math.round(l),height:Math.round(c)})};if(s(gi(e)),!t.ResizeObserver)return()=>{};let r=bi(t),o=new t.ResizeObserver(
()=>{let a=()=>{s(gi(e))};n.options.useAnimationFrameWithResizeObserver?r.schedule(a):a()});return o.observe(e,{box:"content-box"}),()=>{o.unobserve(e),r.cancel()}},
yi={passive:!0};var Dn=typeof window>"u"?!0:"onscrollend"in window,Nn=(n,i,e)=>{let t=n.scrollElement;if(!t)return;let s=n.targetWindow;if(!s)return;let r=n.options.useScrollendEvent&&
Dn,o=0,a=r?null:ci(s,()=>i(e(t),!1),n.options.isScrollingResetDelay),l=p=>()=>{o=e(t),a?.(),i(o,p)},c=l(!0),d=l(!1);return t.addEventListener("scroll",c,yi),r&&
t.addEventListener("scrollend",d,yi),()=>{t.removeEventListener("scroll",c),r&&t.removeEventListener("scrollend",d),a?.cancel()}},wi=(n,i)=>Nn(n,i,e=>{let{horizontal:t,
isRtl:s}=n.options;return t?e.scrollLeft*(s&&-1||1):e.scrollTop});var gs=(n,i,e)=>{if(e.options.useCachedMeasurements){let t=e.indexFromElement(n),s=e.options.getItemKey(t);return e.itemSizeCache.get(s)??e.options.estimateSize(
t)}if(i?.borderBoxSize){let t=i.borderBoxSize[0];if(t)return Math.round(t[e.options.horizontal?"inlineSize":"blockSize"])}if(!i){let t=e.indexFromElement(n),s=e.
options.getItemKey(t),r=e.itemSizeCache.get(s);if(r!==void 0)return r}return n[e.options.horizontal?"offsetWidth":"offsetHeight"]},Bn=(n,{adjustments:i=0,behavior:e},t)=>{
var s;let{scrollElement:r,options:o}=t,a=n+i,l=o.horizontal&&o.isRtl&&r!==null&&"ownerDocument"in r;(s=r?.scrollTo)==null||s.call(r,{[o.horizontal?"left":"top"]:l?
-a:a,behavior:e})};var Si=Bn,vi=(n,i)=>n==="smooth"?i?"smoothLanded":"smooth":"instant",ht=n=>n?.phase==="smooth"||n?.phase==="smoothLanded";function zn(n,i,e,t){if(i===0)return!1;
let s=t(0),r=new Set,o=0;for(;o<n;){let l=e(o);if(l===s)break;r.add(l),o++}let a=n-o;if(a===0||a>=i)return!1;for(let l=0;l<a;l++)if(t(l)!==e(o+l))return!1;for(let l=a;l<
i;l++)if(r.has(t(l)))return!1;return!0}var It=class{constructor(i){this.unsubs=[],this.scrollElement=null,this.targetWindow=null,this.isScrolling=!1,this.scrollState=
null,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache=new Map,this.itemSizeCacheVersion=0,this.laneAssignments=new Map,this.pendingMin=
null,this.prevLanes=void 0,this.lanesChangedFlag=!1,this.lanesSettling=!1,this.pendingScrollAnchor=null,this.scrollRect=null,this.scrollOffset=null,this.scrollDirection=
null,this._holdOffset=0,this._reportedOverscroll=!1,this._iosGesture=new Lt({getWindow:()=>this.targetWindow,now:()=>this.now(),tailStillMoving:()=>{let e=this.
scrollState;if(e?.phase!=="queued"||this.pendingWrite!==null)return!1;let t=this._readElementOffset();return t===null||this._lastElementOffset===null||Math.abs(
t-this._lastElementOffset)<1?!1:(this._lastElementOffset=t,e.samples=[...e.samples??[],{t:this.now(),offset:t}],!0)},onTailClosed:()=>{let e=this.scrollState;e?.
phase==="queued"&&mi(e.samples??[])&&(this.scrollState=null),this._flushHoldIfReady(!0),this._writeAwaitingCommand(),this._retryClampedAdjustment()}}),this._lastElementOffset=
null,this.pendingWrite=null,this._clampedAdjustment=null,this.elementsCache=new Map,this._resizeBatch=null,this.now=()=>{var e,t,s;return((s=(t=(e=this.targetWindow)==
null?void 0:e.performance)==null?void 0:t.now)==null?void 0:s.call(t))??Date.now()},this.observer=(()=>{let e=null,t=null,s=!1,r=!1,o=new Set,a=()=>{if(e)return e;
let c=this.targetWindow;if(!c||!c.ResizeObserver)return null;let d=t=bi(c);return e=new c.ResizeObserver(p=>{let v=()=>{let y={sync:!1};this._resizeBatch=y;try{
p.forEach(l)}finally{this._resizeBatch=null,y.notify&&(this.notify(y.sync),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment(),this.measureElement(
null))}};if(this.options.useAnimationFrameWithResizeObserver)d.schedule(v);else{s=!0;try{v()}finally{s=!1}}})},l=c=>{let d=c.target,p=this.indexFromElement(d);if(!d.
isConnected){this.observer.unobserve(d);for(let[v,y]of this.elementsCache)if(y===d){this.elementsCache.delete(v);break}return}this.isIndexInRange(p)&&this.shouldMeasureDuringScroll(
p)&&this.resizeItem(p,this.options.measureElement(d,c,this))};return{disconnect:()=>{var c;(c=a())==null||c.disconnect(),t?.cancel(),o.clear(),r=!1,e=null,t=null},
observe:c=>{let d=a();if(d){if(!s){d.observe(c,{box:"border-box"});return}o.add(c),r||(r=!0,t?.schedule(()=>{r=!1,o.forEach(p=>{p.isConnected&&e?.observe(p,{box:"\
border-box"})}),o.clear()}))}},unobserve:c=>{var d;o.delete(c),(d=a())==null||d.unobserve(c)}}})(),this.range=null,this.setOptions=e=>{var t;let s={debug:!1,initialOffset:0,
overscan:1,paddingStart:0,paddingEnd:0,scrollPaddingStart:0,scrollPaddingEnd:0,horizontal:!1,getItemKey:Hn,rangeExtractor:fs,onChange:()=>{},measureElement:gs,initialRect:{
width:0,height:0},scrollMargin:0,gap:0,indexAttribute:"data-index",initialMeasurementsCache:[],lanes:1,anchorTo:"start",followOnAppend:!1,scrollEndThreshold:1,isScrollingResetDelay:150,
enabled:!0,isRtl:!1,useScrollendEvent:!1,useAnimationFrameWithResizeObserver:!1,laneAssignmentMode:"estimate",useCachedMeasurements:!1};for(let d in e){let p=e[d];
p!==void 0&&(s[d]=p)}let r=this.options,o=null,a=null,l=!1;if(r!==void 0&&r.enabled&&s.enabled&&s.anchorTo==="end"&&this.scrollElement!==null){let d=r.count,p=s.
count,v=this.getMeasurements(),y=((t=this._singleLaneMeasurements)==null?void 0:t.items)??v,$=M=>li(y[M]),S=d>0?$(0):null,O=d>0?$(d-1):null;if(p!==d||d>0&&p>0&&
(s.getItemKey(0)!==S||s.getItemKey(p-1)!==O)){l=!0;let M=d>0?this.getVirtualItemForOffset(this.getScrollOffset())??v[0]:null;M&&(o=[M.key,this.getScrollOffset()-
M.start]);let ie=s.followOnAppend===!0?"auto":s.followOnAppend||null;ie&&p>0&&this.isAtEnd(r.scrollEndThreshold)&&(d===0||s.getItemKey(p-1)!==O)&&(p>d||zn(d,p,$,
s.getItemKey))&&(a=ie)}}this.options=s,l&&(this.pendingMin=0,this.itemSizeCacheVersion++);let c=null;if(o&&this.scrollOffset!==null&&!this._awaitingCommandReadBack()){
let[d,p]=o,v=this.getMeasurements(),{count:y,getItemKey:$}=this.options,S=0;for(;S<y&&$(S)!==d;)S++;if(S<y){let O=v[S];if(O){let C=Math.max(0,O.start+p);!a&&C!==
this.scrollOffset&&(c=C-this.scrollOffset,this.scrollOffset=C)}}}a?this.pendingScrollAnchor={kind:"follow",behavior:a}:c!==null&&(this._canWriteScroll()?this.pendingScrollAnchor=
{kind:"anchor",delta:c}:(this._holdOffset+=c,this._followOffsetTarget(c)))},this.notify=e=>{var t,s;(s=(t=this.options).onChange)==null||s.call(t,this,e)},this.
maybeNotify=Oe(()=>(this.calculateRange(),[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]),e=>{this.notify(e)},{key:!1,
debug:()=>this.options.debug,initialDeps:[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]}),this.cleanup=()=>{var e;
this.unsubs.filter(Boolean).forEach(t=>t()),this.unsubs=[],this.observer.disconnect(),this.rafId!=null&&this.targetWindow&&(this.targetWindow.cancelAnimationFrame(
this.rafId),this.rafId=null),this.scrollState=null,(e=this._momentumStop)==null||e.restore(),this._momentumStop=null,this.isScrolling=!1,this.scrollDirection=null,
this._holdOffset=0,this._reportedOverscroll=!1,this._clampedAdjustment=null,this.pendingWrite=null,this.scrollElement=null,this.targetWindow=null},this._didMount=
()=>()=>{this.cleanup()},this._willUpdate=()=>{var e;let t=this.options.enabled?this.options.getScrollElement():null;if(this.scrollElement!==t){if(this.cleanup(),
!t){this.maybeNotify();return}this.scrollElement=t,this.scrollElement&&"ownerDocument"in this.scrollElement?this.targetWindow=this.scrollElement.ownerDocument.defaultView:
this.targetWindow=((e=this.scrollElement)==null?void 0:e.window)??null,this.elementsCache.forEach(r=>{this.observer.observe(r)}),this.unsubs.push(this.options.observeElementRect(
this,r=>{this.scrollRect=r,this.maybeNotify()})),this.unsubs.push(this.options.observeElementOffset(this,(r,o)=>{var a,l,c,d;let p=o?this._elementMaxScrollOffset():
null,v=this._reportedOverscroll;this._reportedOverscroll=r<0||p!==null&&r>p+1;let y=r;this._lastElementOffset=y,r=this._toLayoutOffset(r);let $=this._classifyScrollEvent(
r,o,p);if($==="spurious")return;$==="readBack"?r=this.pendingWrite.target:$==="clampedReadBack"&&((a=this.scrollState)==null?void 0:a.index)!=null&&r<this.getMaxScrollOffset()-
1.5?this.scrollState.lastTargetOffset=r:di({kind:$,offset:r,command:this.scrollState,target:()=>this.getScrollStateTarget(this.scrollState)})&&(this.scrollState=
null),this.pendingWrite=null,this._clampedAdjustment!==null&&Math.abs(r-this._clampedAdjustment.maxAtWrite)>=1.5&&(this._clampedAdjustment=null);let S=this.getScrollOffset(),
O=this.scrollDirection;this.scrollDirection=o?S===r?this.scrollDirection:S<r?"forward":"backward":null,this.scrollOffset=r,this.isScrolling=o;let C=this.scrollState;
if(C?.phase==="queued"&&$==="external"&&o)if(v||this._reportedOverscroll)C.samples=[];else{let _=this.now();C.samples=[...(C.samples??[]).filter(M=>_-M.t<=200),
{t:_,offset:y}],(O!==null&&this.scrollDirection!==O||pi(C.samples))&&(this.scrollState=null)}this._iosGesture.onScroll({isScrolling:o,ownReadBack:$==="readBack",
moved:r!==S,external:$==="external"&&((l=this.scrollState)==null?void 0:l.phase)!=="smooth"&&((c=this.scrollState)==null?void 0:c.phase)!=="smoothFinishing"})&&
((d=this.scrollState)==null?void 0:d.phase)==="queued"&&(this.scrollState=null),this._flushHoldIfReady(!0),this.scrollState&&this.scheduleScrollReconcile(),this.
maybeNotify()})),"addEventListener"in this.scrollElement&&this.unsubs.push(this._iosGesture.listen(this.scrollElement)),this._scrollToOffset(this.getScrollOffset())}
this._noteClampMax();let s=this.pendingScrollAnchor;this.pendingScrollAnchor=null,s&&this.scrollElement&&this.options.enabled&&(s.kind==="anchor"?this._canWriteScroll()?
ht(this.scrollState)&&!le(this.getScrollOffset()-s.delta,this.scrollState.lastTargetOffset)||(this._followOffsetTarget(s.delta),this._scrollToOffset(this.getScrollOffset())):
(this._holdOffset+=s.delta,this._followOffsetTarget(s.delta),this.notify(!1)):this.scrollToEnd({behavior:s.behavior})),this._flushHoldIfReady(!1),this._retryClampedAdjustment()},
this._classifyScrollEvent=(e,t,s)=>{var r;return ui({offset:e,isScrolling:t,elementMax:s,holdOffset:this._holdOffset,scrollOffset:this.scrollOffset,pendingWrite:this.
pendingWrite,clampedMaxAtWrite:((r=this._clampedAdjustment)==null?void 0:r.maxAtWrite)??null})},this._retryClampedAdjustment=()=>{if(this._clampedAdjustment===null||
!this.scrollElement||!this.options.enabled||!this._canWriteScroll())return;let{target:e,maxAtWrite:t}=this._clampedAdjustment,s=this.getMaxScrollOffset();s>t+.5&&
(this._clampedAdjustment=e>s+.5?{target:e,maxAtWrite:s}:null,this._scrollToOffset(e))},this._writeAwaitingCommand=()=>{let e=this.scrollState;if(e===null||e.phase!==
"queued")return;let{behavior:t}=e;this.getMeasurements();let s=this.getScrollStateTarget(e);e.lastTargetOffset=s,this._clampedAdjustment=null,e.phase=vi(t,e.index!=
null&&le(s,this.getScrollOffset())),this._scrollToOffset(s,{behavior:t}),this.scheduleScrollReconcile()},this._readElementOffset=()=>{let e=this.scrollElement;if(e==
null)return null;let{horizontal:t,isRtl:s}=this.options;return typeof e.scrollTop=="number"?t?e.scrollLeft*(s&&-1||1):e.scrollTop:typeof e.scrollY=="number"?t?e.
scrollX:e.scrollY:null},this._canWriteScroll=()=>!(lt()&&this._iosGesture.inMotion())&&!this._reportedOverscroll,this._flushHoldIfReady=e=>{var t;if(this._holdOffset===
0||!this.scrollElement||!this.options.enabled||!this._canWriteScroll()||((t=this.scrollState)==null?void 0:t.phase)==="smooth")return;this._holdOffset=0,this.scrollOffset!==
null&&this.scrollOffset<0&&(this.scrollOffset=0),this.notify(e);let s=this.getCommandWrittenOffset()??this.getScrollOffset();this._clampedAdjustment=this._clampedBy(
s),this._scrollToOffset(s)},this.rafId=null,this.getSize=()=>this.options.enabled?(this.scrollRect=this.scrollRect??this.options.initialRect,this.scrollRect[this.
options.horizontal?"width":"height"]):(this.scrollRect=null,0),this.getScrollOffset=()=>this.options.enabled?(this.scrollOffset=this.scrollOffset??(typeof this.
options.initialOffset=="function"?this.options.initialOffset():this.options.initialOffset),this.scrollOffset):(this.scrollOffset=null,0),this.getMeasurementOptions=
Oe(()=>[this.options.count,this.options.paddingStart,this.options.scrollMargin,this.options.getItemKey,this.options.enabled,this.options.lanes,this.options.laneAssignmentMode,
this.options.gap],(e,t,s,r,o,a,l,c)=>(this.prevLanes!==void 0&&this.prevLanes!==a&&(this.lanesChangedFlag=!0),this.prevLanes=a,this.pendingMin=null,{count:e,paddingStart:t,
scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c}),{key:!1}),this.isIndexInRange=e=>e>=0&&e<this.options.count,this.getMeasurements=Oe(()=>[
this.getMeasurementOptions(),this.itemSizeCacheVersion],({count:e,paddingStart:t,scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c},d)=>{
var p;let v=this.itemSizeCache;if(!o)return this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),
[];if(this.laneAssignments.size>e)for(let _ of this.laneAssignments.keys())_>=e&&this.laneAssignments.delete(_);this.lanesChangedFlag&&(this.lanesChangedFlag=!1,
this.lanesSettling=!0,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.pendingMin=null),
this.measurementsCache.length===0&&!this.lanesSettling&&(this.measurementsCache=this.options.initialMeasurementsCache,this.measurementsCache.forEach(_=>{this.itemSizeCache.
set(_.key,_.size)}));let y=this.lanesSettling?0:this.pendingMin??0;if(this.pendingMin=null,this.lanesSettling&&this.measurementsCache.length===e&&(this.lanesSettling=
!1),a===1){let _=e*2,M=(p=this._singleLaneMeasurements)==null?void 0:p.flat;if(!M||M.length<_){let B=new Float64Array(_);M&&y>0&&B.set(M.subarray(0,y*2)),M=B}let ie=y===
0?new Array(e):this._singleLaneMeasurements.items.slice(),z;if(y===0)z=t+s;else{let B=y-1;z=M[B*2]+M[B*2+1]+c}for(let B=y;B<e;B++){let Xe=r(B);ie[B]=Xe;let Qe=v.
get(Xe),Ze=typeof Qe=="number"?Qe:this.options.estimateSize(B);M[B*2]=z,M[B*2+1]=Ze,z+=Ze+c}this._singleLaneMeasurements={flat:M,items:ie};let de=hi(ie,M);return this.
measurementsCache=de,de}let $=this.measurementsCache.slice(0,y),S=new Array(a).fill(void 0),O=new Float64Array(a),C=0;for(let _=0;_<y;_++){let M=$[_];M&&(S[M.lane]===
void 0&&C++,S[M.lane]=_,O[M.lane]=M.end)}for(let _=y;_<e;_++){let M=r(_),ie=this.laneAssignments.get(_),z,de,B=l==="estimate"||v.has(M);if(ie!==void 0&&this.options.
lanes>1){z=ie;let Je=S[z],ke=Je!==void 0?$[Je]:void 0;de=ke?ke.end+c:t+s}else if(C===a){let Je=0,ke=O[0],Rs=S[0];for(let He=1;He<a;He++){let ss=O[He];(ss<ke||ss===
ke&&S[He]<Rs)&&(Je=He,ke=ss,Rs=S[He])}z=Je,de=ke+c,B&&this.laneAssignments.set(_,z)}else z=_%this.options.lanes,de=t+s,B&&this.laneAssignments.set(_,z);let Xe=v.
get(M),Qe=typeof Xe=="number"?Xe:this.options.estimateSize(_),Ze=de+Qe;$[_]={index:_,start:de,size:Qe,end:Ze,key:M,lane:z},S[z]===void 0&&C++,S[z]=_,O[z]=Ze}return this.
measurementsCache=$,$},{key:!1,debug:()=>this.options.debug}),this.calculateRange=Oe(()=>[this.getMeasurements(),this.getSize(),this.getScrollOffset(),this.options.
lanes,this._getLayoutTotalSize()+this.options.scrollMargin],(e,t,s,r,o)=>{if(e.length===0||t===0)return this.range=null,null;let a=Math.max(o-t,0);return this.range=
jn(e,t,Math.min(s,a),r,r===1&&this._singleLaneMeasurements!==null?this._singleLaneMeasurements.flat:null),this.range},{key:!1,debug:()=>this.options.debug}),this.
getVirtualIndexes=Oe(()=>{let e=null,t=null,s=this.calculateRange();return s&&(e=s.startIndex,t=s.endIndex),this.maybeNotify.updateDeps([this.isScrolling,e,t]),
[this.options.rangeExtractor,this.options.overscan,this.options.count,e,t,this.options.lanes]},(e,t,s,r,o,a)=>r===null||o===null?[]:e({startIndex:r,endIndex:o,overscan:t,
count:s,lanes:a}),{key:!1,debug:()=>this.options.debug}),this.indexFromElement=e=>{let t=this.options.indexAttribute,s=e.getAttribute(t);return s?parseInt(s,10):
(console.warn(`Missing attribute name '${t}={index}' on measured element.`),-1)},this.shouldMeasureDuringScroll=e=>{var t;if(!ht(this.scrollState))return!0;let s=this.
scrollState.index??((t=this.getVirtualItemForOffset(this.scrollState.lastTargetOffset))==null?void 0:t.index);if(s!==void 0&&this.range){let r=Math.max(this.options.
overscan,Math.ceil((this.range.endIndex-this.range.startIndex)/2)),o=Math.max(0,s-r),a=Math.min(this.options.count-1,s+r);return e>=o&&e<=a}return!0},this.measureElement=
e=>{if(!e){this.elementsCache.forEach((o,a)=>{o.isConnected||(this.observer.unobserve(o),this.elementsCache.delete(a))});return}let t=this.indexFromElement(e);if(!this.
isIndexInRange(t))return;let s=this.options.getItemKey(t),r=this.elementsCache.get(s);r!==e&&(r&&this.observer.unobserve(r),this.observer.observe(e),this.elementsCache.
set(s,e)),e.isConnected&&(!this.isScrolling||this.scrollState)&&this.shouldMeasureDuringScroll(t)&&this.resizeItem(t,this.options.measureElement(e,void 0,this))},
this.resizeItem=(e,t)=>{var s,r,o;if(!this.isIndexInRange(e))return;(s=this._resizeBatch)!=null&&s.sync&&this.getMeasurements();let a,l,c,d=(r=this._singleLaneMeasurements)==
null?void 0:r.flat;if(this.options.lanes===1&&d!=null)c=this.options.getItemKey(e),l=d[e*2],a=d[e*2+1];else{let y=this.measurementsCache[e];if(!y)return;c=y.key,
l=y.start,a=y.size}let p=this.itemSizeCache.get(c)??a,v=t-p;if(v!==0){let y=this.options.anchorTo==="end"&&!ht(this.scrollState)&&this.getVirtualDistanceFromEnd()<=
this.options.scrollEndThreshold,$=y?this._getLayoutTotalSize():0,S=this.getScrollOffset(),C=!this.itemSizeCache.has(c)?l<S:l+p<=S&&this.scrollDirection!=="backw\
ard",_=!ht(this.scrollState)&&(this.shouldAdjustScrollPositionOnItemSizeChange!==void 0?this.shouldAdjustScrollPositionOnItemSizeChange(this.measurementsCache[e]??
{index:e,key:c,start:l,size:a,end:l+a,lane:0},v,this):C);(this.pendingMin===null||e<this.pendingMin)&&(this.pendingMin=e),this.itemSizeCache.set(c,t),this.itemSizeCacheVersion++;
let M=!1;if(this._awaitingCommandReadBack()||(y?M=this.applyScrollAdjustment(this._getLayoutTotalSize()-$):_&&(M=this.applyScrollAdjustment(v))),this._resizeBatch){
this._resizeBatch.notify=!0,(o=this._resizeBatch).sync||(o.sync=M);return}this.notify(M),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment()}},
this.getVirtualItems=Oe(()=>[this.getVirtualIndexes(),this.getMeasurements(),this._holdOffset],(e,t,s)=>{let r=[];for(let o=0,a=e.length;o<a;o++){let l=e[o],c=t[l];
r.push(s===0?c:{...c,start:c.start-s,end:c.end-s})}return r},{key:!1,debug:()=>this.options.debug}),this.getVirtualItemForOffset=e=>{var t;let s=this.getMeasurements();
if(s.length===0)return;let r=(t=this._singleLaneMeasurements)==null?void 0:t.flat,o=this.options.lanes===1&&r!=null,a=ki(0,s.length-1,o?l=>r[l*2]:l=>ds(s[l]).start,
e);return ds(s[a])},this._noteClampMax=()=>{if(!this._awaitingCommandReadBack())return;let e=this._elementMaxScrollOffset();if(e===null)return;let t=this.pendingWrite,
s=Math.max(e,0)+this._holdOffset;if(s>=t.target)return;let r=t.lowMaxes??(t.lowMaxes=[]);r[r.length-1]!==s&&r.push(s)},this.getMaxScrollOffset=()=>(this._elementMaxScrollOffset()??
0)+this._holdOffset,this._toLayoutOffset=e=>{var t;let s=e+this._holdOffset;return((t=this.pendingScrollAnchor)==null?void 0:t.kind)==="anchor"&&(s+=this.pendingScrollAnchor.
delta),s},this._elementMaxScrollOffset=()=>{let e=this.scrollElement;if(e===null)return null;if("scrollHeight"in e)return this.options.horizontal?e.scrollWidth-
e.clientWidth:e.scrollHeight-e.clientHeight;if("document"in e){let t=e.document.documentElement;return this.options.horizontal?t.scrollWidth-e.innerWidth:t.scrollHeight-
e.innerHeight}return null},this._momentumStop=null,this._stopMomentum=e=>{let t=this.scrollElement,s=this.targetWindow;if(t===null||s===null)return;let r="docum\
ent"in t?t.document.scrollingElement:t;if(!r?.style)return;if(this._momentumStop){this._momentumStop.done=e;return}let{style:o}=r,a=this.options.horizontal?"ove\
rflow-x":"overflow-y",l=o.getPropertyValue(a),c=o.getPropertyPriority(a),d=()=>this.options.horizontal?r.clientHeight:r.clientWidth,p=d();if(o.setProperty(a,"hi\
dden","important"),d()!==p){o.setProperty(a,l,c);return}let v={restore:()=>o.getPropertyValue(a)!=="hidden"||o.getPropertyPriority(a)!=="important"?!1:(o.setProperty(
a,l,c),!0),done:e};this._momentumStop=v,s.requestAnimationFrame(()=>s.requestAnimationFrame(()=>{this._momentumStop===v&&(this._momentumStop=null,v.restore()&&v.
done())}))},this._clampedBy=e=>{let t=this._elementMaxScrollOffset();if(t===null)return null;let s=t+this._holdOffset;return e>s+.5?{target:e,maxAtWrite:s}:null},
this.getVirtualDistanceFromEnd=()=>Math.max(this._getLayoutTotalSize()+this.options.scrollMargin-this.getSize()-this.getScrollOffset(),0),this.getDistanceFromEnd=
()=>Math.max(this.getMaxScrollOffset()-this.getScrollOffset(),0),this.isAtEnd=(e=this.options.scrollEndThreshold)=>this.getDistanceFromEnd()<=e,this.getOffsetForAlignment=
(e,t,s=0)=>{if(!this.scrollElement)return 0;let r=this.getSize(),o=this.getScrollOffset();t==="auto"&&(t=e>=o+r?"end":"start"),t==="center"?e+=(s-r)/2:t==="end"&&
(e-=r);let a=this.getMaxScrollOffset();return Math.max(Math.min(a,e),0)},this.getOffsetForIndex=(e,t="auto")=>{e=Math.max(0,Math.min(e,this.options.count-1));let s=this.
getSize(),r=this.getScrollOffset(),o=this.getMeasurements()[e];if(!o)return;if(t==="auto")if(o.end>=r+s-this.options.scrollPaddingEnd)t="end";else if(o.start<=r+
this.options.scrollPaddingStart)t="start";else return[r,t];if(t==="end"&&e===this.options.count-1){let l=this.getMaxScrollOffset(),c=l-this.options.paddingEnd+this.
options.scrollPaddingEnd;return[Math.max(Math.min(c,l),0),t]}let a=t==="end"?o.end+this.options.scrollPaddingEnd:o.start-this.options.scrollPaddingStart;return[
this.getOffsetForAlignment(a,t,o.size),t]},this.scrollToOffset=(e,{align:t="start",behavior:s="auto"}={})=>{this._startScroll({index:null,align:t},this.getOffsetForAlignment(
e,t),s,"absolute")},this.scrollToIndex=(e,{align:t="auto",behavior:s="auto"}={})=>{e=Math.max(0,Math.min(e,this.options.count-1));let r=this.getOffsetForIndex(e,
t);if(!r)return;let[o,a]=r;this._startScroll({index:e,align:a},o,s,"absolute")},this.scrollBy=(e,{behavior:t="auto"}={})=>{let s=this.getOffsetForAlignment((this.
getCommandWrittenOffset()??this.getScrollOffset())+e,"start");this._startScroll({index:null,align:"start"},s,t,"relative")},this.scrollToEnd=({behavior:e="auto"}={})=>{
if(this.options.count>0){this._startScroll({index:this.options.count-1,align:"end",toEnd:!0},Math.max(this.getMaxScrollOffset(),0),e,"absolute");return}this.scrollToOffset(
Math.max(this.getTotalSize()-this.getSize(),0),{behavior:e})},this.cancelScroll=()=>{this.rafId!=null&&this.targetWindow&&(this.targetWindow.cancelAnimationFrame(
this.rafId),this.rafId=null),this.scrollState=null},this.getTotalSize=()=>Math.max(this._getLayoutTotalSize()-this._holdOffset,0),this._getLayoutTotalSize=()=>{
var e,t;let s=this.getMeasurements(),r;if(s.length===0)r=this.options.paddingStart;else if(this.options.lanes===1){let o=s.length-1,a=(e=this._singleLaneMeasurements)==
null?void 0:e.flat;a!=null?r=a[o*2]+a[o*2+1]:r=((t=s[o])==null?void 0:t.end)??0}else{let o=Array(this.options.lanes).fill(null),a=s.length-1;for(;a>=0&&o.some(l=>l===
null);){let l=s[a];o[l.lane]===null&&(o[l.lane]=l.end),a--}r=Math.max(...o.filter(l=>l!==null))}return Math.max(r-this.options.scrollMargin+this.options.paddingEnd,
0)},this.takeSnapshot=()=>{let e=[];if(this.itemSizeCache.size===0)return e;let t=this.getMeasurements();for(let s of t)s&&this.itemSizeCache.has(s.key)&&e.push(
{index:s.index,key:s.key,start:s.start,size:s.size,end:s.end,lane:s.lane});return e},this._scrollToOffset=(e,{adjustments:t,behavior:s}={})=>{let r={target:e+(t??
0),smooth:s==="smooth"};return this.pendingWrite=r,this.options.scrollToFn(e-this._holdOffset,{behavior:s,adjustments:t},this),r},this.getCommandWrittenOffset=()=>this.
scrollState!==null&&this.pendingWrite!==null&&!this.pendingWrite.smooth?this.pendingWrite.target:null,this._awaitingCommandReadBack=()=>{let e=this.getCommandWrittenOffset();
return!(lt()&&this._iosGesture.dragging())&&e!==null&&!le(e,this.getScrollOffset())},this._followOffsetTarget=e=>{this.scrollState!==null&&this.scrollState.index==
null&&(this.scrollState.lastTargetOffset+=e)},this.measure=()=>{this.pendingMin=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.itemSizeCacheVersion++,
this.notify(!1)},this.setOptions(i)}get scrollAdjustments(){return 0}applyScrollAdjustment(i,e){if(i===0)return!1;if(this._followOffsetTarget(i),this._canWriteScroll()){
let t=this.getScrollOffset();this._clampedAdjustment=this._clampedBy(t+i);let s=this._scrollToOffset(t,{adjustments:i,behavior:e});return this.scrollOffset!==null&&
(this.pendingWrite===s&&(this.scrollOffset+=i),this.scrollOffset<0&&(this.scrollOffset=0)),!0}else return this._holdOffset+=i,this.scrollOffset!==null&&(this.scrollOffset+=
i),!0}scheduleScrollReconcile(){if(!this.targetWindow){this.scrollState=null;return}this.rafId==null&&(this.rafId=this.targetWindow.requestAnimationFrame(()=>{this.
rafId=null,this.reconcileScroll()}))}getScrollStateTarget(i){let e=i.toEnd?[Math.max(this.getMaxScrollOffset(),0)]:i.index!=null?this.getOffsetForIndex(i.index,
i.align):void 0;return e?e[0]:i.lastTargetOffset}reconcileScroll(){if(!this.scrollState||!this.scrollElement)return;if(this.now()-this.scrollState.startedAt>5e3){
this.scrollState=null;return}if(this.scrollState.phase==="queued"){this.scheduleScrollReconcile();return}this.getMeasurements();let t=this.getScrollStateTarget(
this.scrollState),s=this.scrollState.index==null?1:this.options.useAnimationFrameWithResizeObserver?3:2,r=t!==this.scrollState.lastTargetOffset;if(!r&&le(t,this.
getScrollOffset())){if(this.scrollState.phase==="smooth"?this.scrollState.phase="smoothLanded":this.scrollState.phase==="smoothFinishing"&&(this.scrollState.phase=
"instant"),this.scrollState.stableFrames++,this.scrollState.stableFrames>=s){this.getScrollOffset()!==t&&this._scrollToOffset(t,{behavior:"auto"}),this.scrollState=
null;return}}else if(this.scrollState.stableFrames=0,r){let o=this.getSize()||600,a=Math.abs(t-this.getScrollOffset()),l=ht(this.scrollState)&&a>o;this.scrollState.
lastTargetOffset=t,l?this.scrollState.phase="smooth":this.scrollState.phase==="smooth"?this.scrollState.phase="smoothFinishing":this.scrollState.phase==="smooth\
Landed"&&(this.scrollState.phase="instant"),this._scrollToOffset(t,{behavior:l?"smooth":"auto"})}this.scheduleScrollReconcile()}_startScroll(i,e,t,s){this.pendingScrollAnchor=
null,this._clampedAdjustment=null;let r=this._iosGesture.tail();if(s==="absolute"&&r!==null){if(r==="fling"&&fi()){this._stopMomentum(()=>{let o=this.scrollState;
o?.phase!=="queued"||this._iosGesture.tail()!=="fling"||this._reportedOverscroll||(this._iosGesture.end(),this._flushHoldIfReady(!0),this._writeAwaitingCommand())}),
this.scrollState={...i,startedAt:this.now(),lastTargetOffset:e,stableFrames:0,phase:"queued",behavior:t,samples:[]},this.scheduleScrollReconcile();return}this._iosGesture.
end()}this.scrollState={...i,startedAt:this.now(),lastTargetOffset:e,stableFrames:0,behavior:t,phase:vi(t,i.index!=null&&le(e,this.getScrollOffset()))},this._scrollToOffset(
e,{behavior:t}),this.scheduleScrollReconcile()}},ki=(n,i,e,t)=>{for(;n<=i;){let s=(n+i)/2|0,r=e(s);if(r<t)n=s+1;else if(r>t)i=s-1;else return s}return n>0?n-1:0};
function Un(n,i,e){let t=0;for(;t<=i;){let s=(t+i)/2|0,r=n[s*2];if(r<e)t=s+1;else if(r>e)i=s-1;else return s}return t>0?t-1:0}function jn(n,i,e,t,s){let r=n.length-
1;if(n.length<=t)return{startIndex:0,endIndex:r};if(t===1&&s!==null){let c=Un(s,r,e),d=c,p=e+i;for(;d<r&&s[d*2]+s[d*2+1]<p;)d++;return{startIndex:c,endIndex:d}}
let a=ki(0,r,c=>n[c].start,e),l=a;if(t===1)for(;l<r&&n[l].end<e+i;)l++;else if(t>1){let c=Array(t).fill(0);for(;l<r&&c.some(p=>p<e+i);){let p=n[l];c[p.lane]=p.end,
l++}let d=Array(t).fill(e+i);for(;a>=0&&d.some(p=>p>=e);){let p=n[a];d[p.lane]=p.start,a--}a=Math.max(0,a-a%t),l=Math.min(r,l+(t-1-l%t))}return{startIndex:a,endIndex:l}}var Wn=new Set(["p","h1","h2","h3","h4","h5","h6","ul","ol","li","blockquote","pre","code","em","strong","del","a","table","thead","tbody","tr","th","td","hr","\
br","span","div","details","summary","img","dl","dt","dd"]),Kn=/^(?:https?:\/\/|mailto:)/i,Vn=/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,Gn=/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/,
Yn={h1:"h3",h2:"h4",h3:"h5",h4:"h6",h5:"h6"},Xn=100;function xi(n){return typeof n=="object"&&n!==null&&!Array.isArray(n)}function Le(n){return typeof n=="strin\
g"?n:null}function Qn(n,i){let e=Le(i);e===null||!Kn.test(e)||(n.setAttribute("href",e),n.setAttribute("rel","noreferrer noopener"),n.setAttribute("target","_bl\
ank"))}function Zn(n,i){let e=Le(i.src)??"";n.setAttribute("src",e),n.setAttribute("alt",Le(i.t)??"Image"),n.setAttribute("loading","lazy")}function Jn(n,i,e){let t=Le(
e.c);t!==null&&Gn.test(t)&&(n.className=t);let s=Le(e.t);s!==null&&i!=="img"&&(n.title=s),i==="a"&&Qn(n,e.h),i==="img"&&Zn(n,e),Number.isInteger(e.n)&&(n.dataset.
left=String(e.n)),i==="details"&&e.o===1&&n.setAttribute("open",""),i==="ol"&&Number.isInteger(e.s)&&n.setAttribute("start",String(e.s));let r=Le(e.a);(i==="td"||
i==="th")&&r!==null&&/^(?:left|center|right)$/.test(r)&&n.classList.add(`align-${r}`)}function Ei(n,i,e){if(typeof i=="string"){n.append(i);return}if(!Array.isArray(
i)||typeof i[0]!="string")return;let[t,s]=i,r=xi(s)?s:{},o=i.slice(xi(s)?2:1),a=Wn.has(t)&&e<Xn&&(t!=="img"||Vn.test(Le(r.src)??"")),l=a?document.createElement(
Yn[t]??t):n;a?Jn(l,t,r):n.append(`<${t}>`);for(let c of o)Ei(l,c,e+1);a&&n.append(l)}function er(n){for(let i of n.querySelectorAll("pre, .lines"))i.tabIndex=0,
i.tagName==="PRE"&&i.setAttribute("role","region"),i.tagName==="PRE"&&i.setAttribute("aria-label","Text block")}function X(n,i="body"){let e=document.createElement(
"div");if(e.className=i,typeof n=="string"){let t=document.createElement("pre");t.textContent=n,e.append(t)}else for(let t of n??[])Ei(e,t,0);return er(e),e}var tr=/^(?:role|tool|model|cwd|on|before|after|is|re):./;function ct(n){return[...n.toLowerCase().matchAll(/re:"[^"]*"|"([^"]+)"|(\S+)/g)].map(([,t,s])=>t??(tr.
test(s??"")?"":(s??"").replace(/(?<=.)\*$/,""))).map(t=>t.trim()).filter(Boolean)}function sr(n,i,e){let t=[];for(let s=i.indexOf(e);s>=0;s=i.indexOf(e,s+e.length)){
let r=document.createRange();r.setStart(n,s),r.setEnd(n,s+e.length),t.push(r)}return t}function Ti(n,i){if(!("highlights"in CSS))return;let e=ct(i);if(e.length===
0){CSS.highlights.delete("find");return}let t=[],s=document.createTreeWalker(n,NodeFilter.SHOW_TEXT);for(let r=s.nextNode();r&&t.length<500;r=s.nextNode()){let o=(r.
nodeValue??"").toLowerCase();if(o.length===r.nodeValue?.length)for(let a of e)t.push(...sr(r,o,a))}CSS.highlights.set("find",new Highlight(...t))}var Mi=new WeakMap;function _i(n,i){let e=Mi.get(n);return e||(e=X(n.body),ys(e),Ri(e,n.at,i,t=>Ai(t,n,i)),Mi.set(n,e)),Ai(e,n,i),e}function Ai(n,i,e){if(i.calls.
length===0)return;let t=n.querySelectorAll(":scope > .call");i.calls.forEach((s,r)=>{let o=t[r],a=s.resultAt===null?void 0:e.row(s.resultAt);if(!o||!a||o.dataset.
resultAt===String(a.at))return;o.dataset.resultAt=String(a.at),o.classList.toggle("is-failed",a.isError);let l=X(a.body,"result");o.querySelector(":scope > summ\
ary")?.append(ir(a,l)),ys(l),Ri(l,a.at,e),o.append(l)})}function ys(n){for(let i of n.querySelectorAll("pre")){let e=document.createElement("div");e.className="\
block";let t=document.createElement("button");t.className="copy-block",t.tabIndex=-1,t.setAttribute("aria-label","Copy this block"),t.onclick=()=>w(ge(i.textContent??
"").then(()=>H("Block copied"))),i.replaceWith(e),e.append(i,t)}}function Ri(n,i,e,t=()=>{}){for(let s of n.querySelectorAll(".cut[data-left]")){let r=document.
createElement("button");r.textContent=`Show the rest (${I(Number(s.dataset.left))} bytes)`,r.onclick=()=>w(e.source.entry(e.key,i).then(o=>{n.replaceChildren(...X(
o.body).childNodes),ys(n),t(n)})),s.append(" ",r)}}function ir(n,i){let e=document.createElement("span");e.className="outcome";let t=document.createElement("spa\
n");return t.className=n.isError?"mark is-bad":"mark",t.textContent=n.isError?"failed":"ok",e.append(t," ",nr(i)),e}function nr(n){let i=n.querySelectorAll(".li\
nes > li"),t=(i.length>0?[...i].map(s=>s.textContent??""):(n.textContent??"").split(`
`)).filter(s=>s.trim()!=="");return t.length>1?`${k(t.length,"line")}: ${T(t[0]??"",60)}`:T(t[0]??"no output",100)}function Ci(n,i,e){let t=ct(i);for(let s of n.
querySelectorAll("details"))(t.some(o=>(s.textContent??"").toLowerCase().includes(o))||e!==null&&s.dataset.resultAt===String(e))&&(s.open=!0)}function Pi(n){let i=X(
n.body),e=[];for(let t of i.children)e.push(t.textContent??"");return e.join(`

`).trim()||n.summary}function Oi(n){return[...X(n.body).querySelectorAll("pre")].filter(i=>!i.closest(".call, .thinking")).map(i=>i.textContent??"")}var rr=4;function or(n,i,e){n.dispatchEvent(new CustomEvent("row-action",{detail:{action:i,at:e},bubbles:!0}))}function ut(n,i,e,t){return h`<button class="quiet" tabindex="-1" title=${e} aria-label=${e} @click=${r=>{
r.stopPropagation(),or(r.currentTarget,n,i)}}>${t}</button>`}function ar(n,i,e){let t=i.kind==="assistant"&&n.source.tabs.has("request");return h`<span class="row-tools">
    ${ut("copy",i.at,"Copy the message (y)","Copy")}
    ${ut("link",i.at,"Copy a link to this entry","Link")}
    ${n.source.canEdit?ut("label",i.at,"Set a label","Label"):m}
    ${t?ut("request",i.at,"Show the request for this reply","Request"):m}
    ${ut("fold",i.at,e.isFolded?"Unfold (o)":"Fold (o)",e.isFolded?"Unfold":"Fold")}
  </span>`}function lr(n,i,e){return h`<header>
    <span class="who">${i.who||i.kind}</span>
    ${i.what?h`<code class="what">${T(i.what,80)}</code>`:m}
    ${i.label===null?m:h`<span class="chip is-label" title="Label">${i.label}</span>`}
    ${i.isError?h`<span class="chip is-error">error</span>`:m}
    <span class="particulars">${i.particulars.map(t=>h`<span>${t}</span>`)}</span>
    ${e.isNested?m:ar(n,i,e)}
    <a class="time" tabindex="-1" href=${A(n.key,"",{leaf:n.leaf,e:i.at})} title=${Ce(i.time)}>${ti(i.time)||`#${i.at}`}</a>
  </header>`}function hr(n,i){let e=n.facts?.family??[];if(e.length===0||n.depth>=rr)return[];let t=new Set([i.at,...i.calls.map(({resultAt:s})=>s).filter(s=>s!==
null&&n.isMerged(s))]);return e.filter(s=>s.subagentOf===n.key&&typeof s.at=="number"&&t.has(s.at))}function Ft(n,i,e){let t=["row",`is-${i.kind}`,e.isCursor?"i\
s-cursor":"",e.isFolded?"is-folded":"",i.isError?"is-failed":"",e.isHit?"is-hit":"",e.isAgain?"is-again":""],s=`${i.who||i.kind}${i.label===null?"":`, label ${i.
label}`}: ${T(i.summary,100)}`;return h`<article
    class=${t.filter(Boolean).join(" ")} data-index=${e.place} data-at=${i.at} tabindex=${e.isCursor?0:-1}
    aria-label=${s} aria-posinset=${e.place+1} aria-setsize=${n.path.length}
  >
    ${lr(n,i,e)}
    ${e.isFolded?h`<p class="folded">${i.summary}</p>`:_i(i,n)}
    ${hr(n,i).map(r=>h`<pt-subagent .source=${n.source} .member=${r} .depth=${n.depth+1}></pt-subagent>`)}
  </article>`}function Li(n,i){return h`<article class="row is-empty" data-index=${n} data-at=${i} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`}
function Ii(n,i){return h`<div class="is-merged" data-index=${n} data-at=${i}></div>`}var Q=class{constructor(i,e){this.measured=new WeakSet;this.list=null;this.stop=null;this.wanted=null;this.host=i,this.options=e,i.addController(this)}settings(){
let{count:i,scroller:e,estimate:t,overscan:s=8,paddingStart:r=0,paddingEnd:o=0,keyOf:a,range:l}=this.options();return{count:i,getScrollElement:()=>this.host.querySelector(
e),estimateSize:t,overscan:s,paddingStart:r,paddingEnd:o,observeElementRect:$i,observeElementOffset:wi,scrollToFn:Si,measureElement:gs,onChange:()=>this.host.requestUpdate(),
...a?{getItemKey:a}:{},...l?{rangeExtractor:l}:{}}}hostConnected(){this.host.requestUpdate()}hostDisconnected(){this.stop?.(),this.stop=null,this.list=null}hostUpdate(){
this.list&&this.list.setOptions({...this.list.options,...this.settings()})}hostUpdated(){if(this.list||(this.list=new It(this.settings()),this.stop=this.list._didMount(),
this.host.requestUpdate()),this.list._willUpdate(),this.wanted&&this.list.range){let{place:i,align:e}=this.wanted;this.wanted=null,this.scrollTo(i,e)}if(this.options().
measures)for(let i of this.host.querySelectorAll(`${this.options().scroller} > * > .slot`))this.measured.has(i)||(this.measured.add(i),this.list.measureElement(
i))}get items(){return this.list?.getVirtualItems()??[]}get total(){return this.list?.getTotalSize()??0}get range(){return this.list?.range??null}scrollTo(i,e="\
auto"){this.list||(this.wanted={place:i,align:e}),this.hostUpdate(),this.list?.scrollToIndex(i,{align:e})}};var cr=76,ur=60,qt=3e3,Z=class extends E{constructor(){super(...arguments);this.cursor=-1;this.query="";this.hits=new Set;this.version=0;this.isPrinting=!1;this.
printedFrom=0;this.openedForPaper=[];this.flipped=new Set;this.foldsAll=!1;this.virtual=new Q(this,()=>({count:this.model.path.length,scroller:".scroller",estimate:()=>cr,
measures:!0,overscan:6,paddingStart:8,paddingEnd:48,keyOf:e=>this.model.path[e]??e,range:e=>this.range(e)}));this.staysAtEnd=!1;this.seen={first:-1,last:-1};this.
pending=null;this.leaveEnd=()=>{this.staysAtEnd=!1}}get scroller(){return this.querySelector(".scroller")}range(e){let t=fs(e),s=this.cursor>=0?this.model.place(
this.cursor):-1;return s<0||t.includes(s)||!this.contains(document.activeElement)?t:s<(t[0]??0)?[s,...t]:[...t,s]}updated(e){e.has("isPrinting")&&this.openForPaper(),
this.carryOut(),this.keepEnd(),this.tellSeen(),Ti(this,this.query)}tellSeen(){let e=this.virtual.range;!e||this.model.path.length===0||(this.model.want(e.startIndex-
10,e.endIndex+10),!(e.startIndex===this.seen.first&&e.endIndex===this.seen.last)&&(this.seen={first:e.startIndex,last:e.endIndex},this.dispatchEvent(new CustomEvent(
"seen",{detail:this.seen}))))}get isAtEnd(){let e=this.scroller;return e!==null&&e.scrollHeight-e.scrollTop-e.clientHeight<ur}scrollToEnd(){this.staysAtEnd=!0,this.
requestUpdate()}keepEnd(){let e=this.scroller;this.staysAtEnd&&e&&(e.scrollTop=e.scrollHeight)}show(e,t={}){let s=this.model.callerOf(e),r=this.model.nearest(s??
e);if(r<0)return;let o=t.align??"center";this.leaveEnd(),this.virtual.scrollTo(r,o),this.pending={at:e,focus:t.focus??!1,align:o},this.requestUpdate()}scrollToPlace(e){
this.leaveEnd(),this.virtual.scrollTo(Math.max(0,Math.min(this.model.path.length-1,e)),"start")}scrollByPage(e){let t=this.scroller;this.leaveEnd(),t?.scrollBy(
{top:e*(t.clientHeight-60)})}carryOut(){if(!this.pending)return;let{at:e,focus:t,align:s}=this.pending,r=this.model.row(e),o=this.model.callerOf(e),a=this.rowElement(
o??e);!r||!a||a.classList.contains("is-empty")||(this.pending=null,(o!==null||this.query)&&Ci(a,this.query,o===null?null:e),this.virtual.scrollTo(this.model.place(
o??e),o===null?s:"start"),t&&a.focus({preventScroll:!0}))}rowElement(e){return this.querySelector(`.rows > .slot > [data-at="${e}"]`)}isFolded(e){let t=this.model.
row(e)?.isFolded??!1;return(this.foldsAll||t)!==this.flipped.has(e)&&!(this.isPrinting&&t&&!this.foldsAll)}fold(e){this.flipped.delete(e)||this.flipped.add(e),this.
requestUpdate()}foldAll(e){this.foldsAll=e,this.flipped.clear(),this.requestUpdate()}get isAllFolded(){return this.foldsAll}step(e,t){let s=this.model.nearest(e)+
t;for(;s>=0&&s<this.model.path.length;){let r=this.model.path[s];if(!this.model.isMerged(r))return r;s+=t}return null}firstSeen(){let e=this.scroller?.getBoundingClientRect().
top??0;for(let t of this.querySelectorAll(".rows > .slot > article"))if(t.getBoundingClientRect().top>=e-4)return Number(t.dataset.at);return this.model.path[0]??
0}isAgain(e){let t=e-1;for(;t>=0&&this.model.isMerged(this.model.path[t]);)t-=1;let s=r=>r===void 0?void 0:this.model.row(r)?.kind;return s(this.model.path[e])===
"assistant"&&s(this.model.path[t])==="assistant"}openForPaper(){if(this.isPrinting)this.openedForPaper.push(...this.querySelectorAll("details:not([open], .subag\
ent)"));else for(let e of this.openedForPaper.splice(0))e.open=!1;for(let e of this.openedForPaper)e.open=!0}item(e){let t=this.model.path[e],s=this.model.row(t);
return s?this.model.isMerged(t)?Ii(e,t):Ft(this.model,s,{place:e,isCursor:t===this.cursor,isFolded:this.isFolded(t),isHit:this.hits.has(t),isAgain:this.isAgain(
e)}):Li(e,t)}render(){if(this.isPrinting)return this.printed();let e=this.virtual.items,t=this.model.path.length===0,s=r=>({transform:`translateY(${r}px)`});return h`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.
cursor<0?0:-1}
      @wheel=${this.leaveEnd} @touchstart=${this.leaveEnd} @pointerdown=${this.leaveEnd} @keydown=${this.leaveEnd}>
      ${t?h`<p class="empty">${this.model.filter==="all"?"This session has no entries.":"No entry of this branch passes the filter."}</p>`:m}
      <div class="rows" style=${L({height:`${this.virtual.total}px`})}>
        ${We(e,r=>r.key,r=>h`<div class="slot" data-index=${r.index} style=${L(s(r.start))}>${this.item(r.index)}</div>`)}
      </div>
    </div>`}printed(){let{path:e}=this.model,t=[...e.subarray(this.printedFrom,this.printedFrom+qt)].map((o,a)=>this.printedFrom+a),s=t.filter(o=>!this.model.row(
e[o])).length,r=t.length<e.length;return h`<div class="rows is-printed">
      ${r?h`<p class="notice">Entries ${f(this.printedFrom+1)} to ${f(this.printedFrom+t.length)} of ${f(e.length)} on this branch. The others are not printed here: put the cursor on a message and choose “Print from this message on”.</p>`:
m}
      ${s>0?h`<p class="notice">${k(s,"entry was","entries were")} not loaded and ${s===1?"is":"are"} missing. Print with the page’s own button, or Ctrl+P, to have them all.</p>`:
m}
      ${t.map(o=>this.model.row(e[o])?this.item(o):m)}</div>`}};u([b({attribute:!1})],Z.prototype,"model",2),u([b({attribute:!1})],Z.prototype,"cursor",2),u([b(
{attribute:!1})],Z.prototype,"query",2),u([b({attribute:!1})],Z.prototype,"hits",2),u([b({attribute:!1})],Z.prototype,"version",2),u([g()],Z.prototype,"isPrinti\
ng",2),Z=u([x("pt-conversation")],Z);var Fi=.05,dr=6,pr=.7,Ve=class extends E{constructor(){super(...arguments);this.offsetX=0;this.offsetY=0;this.scale=1;this.pointers=new Map;this.moved=0;this.fittedTo=
"";this.wheeled=e=>{e.preventDefault();let t=this.frame;e.ctrlKey||e.metaKey||!e.shiftKey?this.zoom(Math.exp(-e.deltaY/500),e.clientX-t.left,e.clientY-t.top):this.
pan(-e.deltaY,0)};this.grabbed=e=>{this.pointers.set(e.pointerId,{x:e.clientX,y:e.clientY}),this.moved=0};this.dragged=e=>{let t=this.pointers.get(e.pointerId);
if(!t)return;let s=[...this.pointers].filter(([a])=>a!==e.pointerId),r={x:e.clientX,y:e.clientY};this.pointers.set(e.pointerId,r),this.moved+=Math.abs(r.x-t.x)+
Math.abs(r.y-t.y);let o=s[0]?.[1];if(o){let[a,l]=[Math.hypot(t.x-o.x,t.y-o.y),Math.hypot(r.x-o.x,r.y-o.y)],c=this.frame;this.zoom(l/Math.max(1,a),(r.x+o.x)/2-c.
left,(r.y+o.y)/2-c.top)}else this.pan(r.x-t.x,r.y-t.y)};this.released=e=>{this.pointers.delete(e.pointerId)};this.clicked=e=>{this.moved>6&&e.preventDefault()};
this.pressed=e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;let s={"+":()=>this.zoom(1.25),"=":()=>this.zoom(1.25),"-":()=>this.zoom(.8),0:()=>this.fit(!0),ArrowLeft:()=>this.
pan(60,0),ArrowRight:()=>this.pan(-60,0),ArrowUp:()=>this.pan(0,60),ArrowDown:()=>this.pan(0,-60)}[e.key];s&&(e.preventDefault(),e.stopPropagation(),s())};this.
focused=e=>{let t=e.target;if(!t.matches("a"))return;let s=t.getBoundingClientRect(),r=this.frame;(s.left<r.left||s.right>r.right)&&this.pan(r.left+r.width/2-(s.
left+s.right)/2,0),(s.top<r.top||s.bottom>r.bottom)&&this.pan(0,r.top+r.height/2-(s.top+s.bottom)/2)}}legend(){return h``}updated(e){let{width:t,height:s}=this.
size,r=`${t} ${s}`;t>0&&r!==this.fittedTo&&(this.fittedTo=r,this.fit())}get frame(){return this.querySelector("svg.canvas")?.getBoundingClientRect()??new DOMRect(
0,0,1,1)}fit(e=!1){let{width:t,height:s}=this.size,r=this.frame,o=Math.min(r.width/t,r.height/s)*.96;this.scale=Math.max(e?Fi:pr,Math.min(1.25,o)),this.offsetX=
Math.max(16,(r.width-t*this.scale)/2),this.offsetY=Math.max(16,(r.height-s*this.scale)/2),this.place()}place(){this.querySelector("svg.canvas > g")?.setAttribute(
"transform",`translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`)}zoom(e,t=this.frame.width/2,s=this.frame.height/2){let r=Math.max(Fi,Math.min(dr,
this.scale*e));this.offsetX=t-(t-this.offsetX)*r/this.scale,this.offsetY=s-(s-this.offsetY)*r/this.scale,this.scale=r,this.place()}pan(e,t){this.offsetX+=e,this.
offsetY+=t,this.place()}render(){return h`<div class="graph" @keydown=${this.pressed}>
      <div class="graph-bar">
        <button class="quiet" aria-label="Zoom in" title="Zoom in (+)" @click=${()=>this.zoom(1.25)}>+</button>
        <button class="quiet" aria-label="Zoom out" title="Zoom out (−)" @click=${()=>this.zoom(.8)}>−</button>
        <button class="quiet" title="Show all of it (0)" @click=${()=>this.fit(!0)}>Fit</button>
        ${this.legend()}
      </div>
      <svg class="canvas" role="group" aria-label=${this.name} @wheel=${this.wheeled} @pointerdown=${this.grabbed} @pointermove=${this.dragged}
        @pointerup=${this.released} @pointercancel=${this.released} @pointerleave=${this.released} @click=${this.clicked} @focusin=${this.focused}>
        <g>${F`${this.drawing()}`}</g>
      </svg>
      <details class="in-words"><summary>${this.name} in words</summary>${this.inWords()}</details>
    </div>`}};var dt=230,pt=44,vs=60,mr=16,Ie=class extends Ve{constructor(){super(...arguments);this.version=0;this.whole=null;this.loadedAs=""}willUpdate(e){let t=`${this.model.
key} ${this.model.facts?.entries}`;!this.model.facts||t===this.loadedAs||(this.loadedAs=t,w(this.model.source.family(this.model.key).then(s=>{t===this.loadedAs&&
(this.whole=s)})))}get members(){return this.whole??this.model.facts?.family??[]}get placed(){let e=this.members,t=new Set(e.map(l=>l.key)),s=e.filter(l=>l.parentKey===
null||!t.has(l.parentKey)),r=new Map,o=0,a=(l,c)=>{if(r.has(l.key))return;r.set(l.key,{member:l,depth:c,x:16+c*(dt+vs),y:16+o*(pt+mr)}),e.filter(p=>p.parentKey===
l.key).forEach((p,v)=>{v>0&&(o+=1),a(p,c+1)})};for(let l of[...s,...e])r.has(l.key)||(a(l,0),o+=1);return r}get name(){return`Family of ${this.members.length} ${this.
members.length===1?"session":"sessions"}`}get size(){let e=[...this.placed.values()];return{width:Math.max(0,...e.map(({x:t})=>t+dt+16)),height:Math.max(0,...e.
map(({y:t})=>t+pt+16))}}link(e){return A(e.key)}start(e){return e.parentKey===null||e.at===null||e.at===void 0?null:A(e.parentKey,"",{e:e.at})}kind(e){return e.
subagentOf?"sub-agent":e.parentKey?"fork":"first session"}box({member:e,x:t,y:s}){let r=this.start(e),o=`${e.isSelf?"this session, ":""}${this.kind(e)}`;return F`<g><a href=${this.
link(e)} class=${`family-box ${e.isSelf?"is-self":""} ${e.subagentOf?"is-subagent":""}`}>
      <title>${e.title}</title>
      <rect x=${t} y=${s} width=${dt} height=${pt} rx="6"></rect>
      <text x=${t+12} y=${s+19}>${T(e.title,27)}</text>
      <text class="small" x=${t+12} y=${s+35}>${o}</text>
    </a>${r===null?m:F`<a href=${r} class="family-start"><title>${`Where ${e.title} began`}</title>
      <text class="small" text-anchor="end" x=${t+dt-12} y=${s+35}>at entry ${f(e.at??0)}</text></a>`}</g>`}drawing(){let e=this.placed,t=[...e.values()].map(({
member:s,x:r,y:o})=>{let a=s.parentKey===null?void 0:e.get(s.parentKey);if(!a)return F``;let[l,c,d]=[a.x+dt,a.y+pt/2,o+pt/2];return F`<path class=${s.subagentOf?
"family-line is-subagent":"family-line"} d=${`M${l} ${c} C${l+vs/2} ${c}, ${r-vs/2} ${d}, ${r} ${d}`}></path>`});return F`${t}${[...e.values()].map(s=>this.box(
s))}`}inWords(){let e=this.placed;return h`<ul>${[...e.values()].map(({member:t})=>{let s=this.start(t);return h`<li><a href=${this.link(t)}>${t.title}</a> ${t.
isSelf?"(this session)":""} ${this.kind(t)}${t.parentKey?` of ${e.get(t.parentKey)?.member.title??"a session that is not here"}`:""}
        ${s===null?m:h`<a href=${s}>at entry ${f(t.at??0)}</a>`}</li>`})}</ul>`}};u([b({attribute:!1})],Ie.prototype,"model",2),u([b({attribute:!1})],Ie.prototype,
"version",2),u([g()],Ie.prototype,"whole",2),Ie=u([x("pt-family")],Ie);var K=class extends E{constructor(){super(...arguments);this.query="";this.cursor=-1;this.text="";this.ats=[];this.total="0";this.current=-1;this.isBusy=!1;this.
hasEntry=!1;this.asked="";this.askSoon=Y(160,()=>w(this.ask(this.text,!0)));this.typed=e=>{this.text=e.target.value,this.askSoon()};this.pressed=e=>{if(e.key===
"Enter")this.step(e.shiftKey?-1:1);else if(e.key==="Escape")e.target.blur(),this.dispatchEvent(new Event("close-find"));else return;e.preventDefault(),e.stopPropagation()}}focusField(){
let e=this.querySelector("input");e?.focus(),e?.select()}willUpdate(e){!e.has("query")||this.query===this.asked||(this.text=this.query,w(this.ask(this.query,!this.
hasEntry)))}async ask(e,t){this.asked=e,this.isBusy=e!=="";let s=e===""?{total:0,isAll:!0,hits:[]}:await this.model.source.find(this.model.key,e);this.asked===e&&
(this.isBusy=!1,this.ats=s.hits.map(r=>r.at).sort((r,o)=>r-o),this.total=`${f(s.total)}${s.isAll?"":"+"}`,this.current=-1,fe(e===""?"":s.isAll?k(s.total,"match",
"matches"):`More than ${k(s.total,"match","matches")}`),this.dispatchEvent(new CustomEvent("found",{detail:{query:e,hits:new Set(this.ats)}})),t&&this.step(1,!0))}step(e,t=!1){
if(this.ats.length===0)return;let s=this.current>=0?this.ats[this.current]??-1:t?this.cursor-1:this.cursor,r=e===1?this.ats.findIndex(o=>o>s):this.ats.findLastIndex(
o=>o<s);r<0&&(r=e===1?0:this.ats.length-1),this.current=r,fe(`Match ${r+1} of ${this.total}`),this.dispatchEvent(new CustomEvent("find-at",{detail:this.ats[r]??
0}))}status(){return this.isBusy?"\u2026":this.asked===""?"":this.ats.length===0?"no match":`${f(this.current+1)} of ${this.total}`}render(){return h`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${this.typed} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${()=>this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${()=>this.step(1)}>↓</button>
      ${this.asked===""?m:h`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${()=>this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`}};u([b({attribute:!1})],K.prototype,"model",2),u([b({attribute:!1})],K.prototype,"query",2),u([b({attribute:!1})],K.prototype,"cursor",2),u([g()],K.
prototype,"text",2),u([g()],K.prototype,"ats",2),u([g()],K.prototype,"total",2),u([g()],K.prototype,"current",2),u([g()],K.prototype,"isBusy",2),u([b({attribute:!1})],
K.prototype,"hasEntry",2),K=u([x("pt-find")],K);var Ht=50,qi=4e3,fr=3e3,Ge=class{constructor(i,e,t=0){this.facts=null;this.marks=[];this.leaf=null;this.filter="all";this.path=new Int32Array;this.failure=null;
this.changed=()=>{};this.kept=new Map;this.callers=new Map;this.loading=new Set;this.lanePaths=new Map;this.loaded=new Set;this.generation=0;this.source=i,this.
key=e,this.depth=t}async open(i,e){let t=++this.generation;this.facts??=await this.source.session(this.key);let s=await this.source.path(this.key,i??this.facts.
leaf,e);t===this.generation&&this.show(i??this.facts.leaf,e,s)}async readMarks(){this.marks.length>0||(this.marks=await this.source.marks(this.key),this.changed())}show(i,e,t){
this.leaf=i,this.filter=e,this.path=t,this.loaded=new Set,this.loading.clear(),this.changed()}async refresh(){let{facts:i,path:e}=this,t=await this.source.session(
this.key),r=this.leaf===i?.leaf?t.leaf:this.leaf,[o,a]=await Promise.all([this.source.path(this.key,r,this.filter),this.source.marks(this.key)]);if(this.path!==
e)return this.refresh();let l=o.length-e.length;return this.facts=t,this.marks=a,this.lanePaths.clear(),this.show(r,this.filter,o),l}get hasRows(){return this.kept.
size>0||this.path.length===0||this.failure!==null}row(i){return this.kept.get(i)}isMerged(i){return this.callerOf(i)!==null}callerOf(i){let e=this.callers.get(i);
return e!==void 0&&this.place(e)>=0?e:null}want(i,e){for(let t=Math.max(0,Math.floor((i-8)/Ht));t*Ht<=Math.min(e,this.path.length-1);t+=1)!this.loaded.has(t)&&!this.
loading.has(t)&&this.fetchChunk(t)}async fetchChunk(i){let e=this.generation,t=this.path;this.loading.add(i);try{this.keep(await this.source.rows(this.key,{leaf:this.
leaf,filter:this.filter,from:i*Ht,count:Ht})),this.failure=null}catch(s){this.failure===null&&H(q(s)),this.failure=s}e!==this.generation||t!==this.path||(this.failure===
null?this.loaded.add(i):await new Promise(s=>setTimeout(s,fr)),this.loading.delete(i),this.changed())}keep(i){for(let e of i){let t=gr(this.kept.get(e.at),e);this.
kept.delete(t.at),this.kept.set(t.at,t);for(let s of t.calls)s.resultAt!==null&&this.callers.set(s.resultAt,t.at)}if(!(this.kept.size<=qi)){for(let e of this.kept.
keys()){if(this.kept.size<=qi/2)break;this.kept.delete(e)}this.loaded.clear()}}async loadAll(i,e){let t=Math.min(i+e,this.path.length);for(let s=i;s<t;s+=200)this.
keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:s,count:Math.min(200,t-s)}))}place(i){return he(this.path,i)}nearest(i){let e=this.
place(i);return e>=0||this.path.length===0?e:Math.min(this.path.length-1,Math.max(0,Di(this.path,i)-1))}get laneCount(){return this.facts?.laneCount??this.facts?.
lanes.length??0}async lanes(i){let e=[...this.facts?.lanes??[]];for(;e.length<Math.min(i,this.laneCount);){let t=await this.source.lanes(this.key,e.length,200);
if(t.length===0)break;e.push(...t)}return e.slice(0,i)}lanePath(i){let e=this.lanePaths.get(i.leaf)??this.source.path(this.key,i.leaf,"all");return this.lanePaths.
set(i.leaf,e),e}async leafFor(i){return this.place(i)>=0?this.leaf:this.source.leafOf(this.key,i)}nextMark(i,e,t){let s=this.marks.filter(o=>o.kind===i&&this.place(
o.at)>=0).map(o=>o.at);return(t===1?s.find(o=>o>e):s.findLast(o=>o<e))??null}};function gr(n,i){return!n||JSON.stringify(n.body)!==JSON.stringify(i.body)?i:Object.
assign(n,i,{body:n.body})}function Di(n,i){let e=0,t=n.length;for(;e<t;){let s=e+t>>1;(n[s]??0)<i?e=s+1:t=s}return e}function he(n,i){let e=Di(n,i);return n[e]===
i?e:yr(n)?-1:n.indexOf(i)}var Hi=new WeakMap;function yr(n){let i=Hi.get(n);return i===void 0&&(i=n.every((e,t)=>t===0||(n[t-1]??0)<e),Hi.set(n,i)),i}var Ni=46,Bi=24,vr=320,Dt=120,bs=3e3,zi=150,$e=class extends Ve{constructor(){super(...arguments);this.version=0;this.drawn=[];this.wanted=Dt;this.stops=[];this.
xs=[];this.loadedAs=""}willUpdate(e){let{facts:t,marks:s}=this.model;e.has("model")&&(this.wanted=Dt);let r=`${this.model.key} ${t?.entries} ${s.length} ${this.
wanted}`;!t||r===this.loadedAs||(this.loadedAs=r,w(this.load(this.wanted)))}async load(e){let t=await this.model.lanes(e),s=await Promise.all(t.map(a=>this.model.
lanePath(a))),r=this.shownMarks().slice(0,bs),o=new Set;this.drawn=t.map((a,l)=>{let c=s[l],d=l===0?0:br(c,s.slice(0,l)),p=r.filter(v=>!o.has(v.at)&&he(c,v.at)>=
d);for(let v of p)o.add(v.at);return{lane:a,path:c,own:d,parent:d===0?-1:s.findIndex(v=>he(v,c[d-1])>=0),y:30+l*Ni,marks:p}}),this.scaleX()}shownMarks(){let e=this.
model.marks.filter(t=>t.kind==="user").length;return this.model.marks.filter(t=>t.kind!=="branch"&&(t.kind!=="user"||e<=zi))}left(){let e=this.model.marks.filter(
r=>r.kind==="user").length,t=this.shownMarks().length;return[e>zi?`${k(e,"user message")} not drawn`:"",t>bs?`${k(t-bs,"further dot")} not drawn`:""].filter(Boolean).
join(", ")}scaleX(){let e=new Set([0]);for(let{path:s,own:r,marks:o}of this.drawn){e.add(r).add(Math.max(0,r-1)).add(s.length-1);for(let a of o)e.add(he(s,a.at))}
this.stops=[...e].sort((s,r)=>s-r);let t=Bi;this.xs=this.stops.map((s,r)=>t+=r===0?0:10+9*Math.log2(s-(this.stops[r-1]??0)))}x(e){let t=0,s=this.stops.length-1;
for(;t<s;){let r=t+s>>1;(this.stops[r]??0)<e?t=r+1:s=r}return this.xs[t]??Bi}get name(){return`Tree with ${f(this.drawn.length)} branches`}get size(){return{width:this.
drawn.length===0?0:(this.xs.at(-1)??0)+vr,height:60+this.drawn.length*Ni}}link(e,t){return A(this.model.key,"",{leaf:e.lane.isActive?null:e.lane.leaf,e:t})}line(e){
let{lane:t,path:s,own:r,parent:o,y:a}=e,l=this.x(Math.max(0,r)),c=this.x(s.length-1),d=this.drawn[o],p=d?`M${this.x(r-1)} ${d.y} C${this.x(r-1)+12} ${a}, ${this.
x(r-1)} ${a}, ${Math.max(l,this.x(r-1)+14)} ${a}`:`M${l} ${a}`,v=T(Be(t),60);return F`<g class=${`branch-line ${t.isActive?"is-active":""} ${t.leaf===this.model.
leaf?"is-shown":""}`}>
      <path d=${`${p} L${c} ${a}`}></path>
      <a href=${this.link(e,t.isActive?t.leaf:t.from??t.leaf)}>
        <circle class="leaf" cx=${c} cy=${a} r="6"></circle>
        <text x=${c+14} y=${a-2}>${v}</text>
        <text class="small" x=${c+14} y=${a+13}>${`${t.isActive?"current, ":""}${f(s.length-r)} entries`}</text>
      </a>
      ${e.marks.map(y=>this.dot(e,y))}${this.labels(e)}
    </g>`}dot(e,t){let s=this.x(he(e.path,t.at)),r=`${t.kind}: ${T(t.text??`entry ${t.at}`,80)}`;return F`<a href=${this.link(e,t.at)} aria-label=${r} tabindex=${t.
kind==="user"?-1:0}><title>${r}</title>
      <circle class=${`mark is-${t.kind}`} cx=${s} cy=${e.y} r=${t.kind==="user"?3:4.5}></circle></a>`}labels(e){let t=-1/0;return e.marks.filter(({kind:s})=>s===
"label").map(s=>{let r=this.x(he(e.path,s.at))-4,o=T(s.text??"",20);return r<t?F``:(t=r+o.length*6.2+8,F`<text class="small is-label" aria-hidden="true" x=${r} y=${e.
y-10}>${o}</text>`)})}drawing(){return F`${[...this.drawn].reverse().map(e=>this.line(e))}`}legend(){let e=["user","label","compaction","error"],t=this.model.laneCount-
this.drawn.length,s=this.left();return h`<span class="legend">${e.map(r=>h`<span class=${`key is-${r}`}>${r==="user"?"user message":r}</span>`)}</span>
      ${t>0&&this.drawn.length>0?h`<span class="more-lanes">${k(this.drawn.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.
wanted+=Dt}>Show ${f(Math.min(Dt,t))} more</button></span>`:m}
      ${s?h`<span class="muted">${s}</span>`:m}`}inWords(){return h`<ul>${this.drawn.map(e=>h`<li>
      <a href=${this.link(e,e.lane.leaf)}>${Be(e.lane)}</a>${e.lane.isActive?" (current)":` (abandoned, leaves the branch above after entry ${f(e.own)})`}: ${f(
e.path.length)} entries.
      ${e.marks.filter(t=>t.kind!=="user").slice(0,40).map(t=>h`<a href=${this.link(e,t.at)}>${t.kind} at ${f(t.at)}${t.text?`: ${T(t.text,60)}`:""}</a> `)}
    </li>`)}</ul>`}};u([b({attribute:!1})],$e.prototype,"model",2),u([b({attribute:!1})],$e.prototype,"version",2),u([g()],$e.prototype,"drawn",2),u([g()],$e.prototype,
"wanted",2),$e=u([x("pt-graph")],$e);function br(n,i){let e=0;for(let t of i){let[s,r]=[e,Math.min(n.length,t.length)];for(;s<r;){let o=s+r>>1;n[o]===t[o]?s=o+1:
r=o}e=Math.max(e,s)}return e}var $r=26,ft=60,Nt=40,we=class extends E{constructor(){super(...arguments);this.version=0;this.lanes=[];this.wanted=Nt;this.virtual=new Q(this,()=>({count:Math.
max(0,...this.lanes.map(({path:e})=>e.length)),scroller:".lanes-scroller",estimate:()=>$r}));this.loadedAs=""}willUpdate(e){let t=this.model.facts;e.has("model")&&
(this.wanted=Nt);let s=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.wanted}`;t&&s!==this.loadedAs&&(this.loadedAs=s,w(this.load(this.wanted)))}async load(e){
let t=await this.model.lanes(e);this.lanes=await Promise.all(t.map(async s=>{let r=await this.model.lanePath(s),o=this.lanes.find(l=>l.lane.leaf===s.leaf&&l.path===
r),a=s.from===null?r.length:Math.max(0,he(r,s.from));return o??{lane:s,path:r,own:a,rows:new Map,asked:new Set}}))}updated(){let e=this.virtual.range;if(e)for(let t of this.
lanes)for(let s=Math.floor(e.startIndex/ft);s<=Math.floor(e.endIndex/ft);s+=1)w(this.fetch(t,s))}async fetch(e,t){if(e.asked.has(t)||t*ft>=e.path.length)return;
e.asked.add(t);let s={leaf:e.lane.leaf,filter:"all",from:t*ft,count:ft,brief:!0};for(let r of await this.model.source.rows(this.model.key,s))e.rows.set(r.at,r);
this.requestUpdate()}toFork(e){this.virtual.scrollTo(Math.max(0,e.own-3),"start")}heading(e){let{lane:t,path:s,own:r}=e,o=t.leaf===this.model.leaf;return h`<section class=${t.
isActive?"lane-head is-active":"lane-head"} aria-label=${Be(t)}>
      <h2><a href=${A(this.model.key,"",{leaf:t.isActive?null:t.leaf,e:t.isActive?t.leaf:t.from??t.leaf})} aria-current=${o?"true":m}>${T(Be(t),90)}</a></h2>
      <p class="muted">${t.isActive?h`<span class="chip is-current">current</span>`:h`<span class="chip">abandoned</span>`}
        ${f(s.length)} entries, ${f(s.length-r)} its own · ${ye(t.lastTime)}</p>
      ${t.summary?h`<p class="lane-summary" title=${t.summary}>${T(t.summary,180)}</p>`:m}
      ${r>0&&r<s.length?h`<button class="quiet" @click=${()=>this.toFork(e)}>To the fork at ${f(r+1)}</button>`:m}
    </section>`}cell(e,t){let s=e.path[t];if(s===void 0)return h`<div class="lane-cell is-none"></div>`;let r=e.rows.get(s),o=t>=e.own||e.lane.isActive,a=["lane\
-cell",`is-${r?.kind??"empty"}`,o?"":"is-shared",t===e.own&&t>0?"is-fork":"",r?.isError?"is-failed":""],l=A(this.model.key,"",{leaf:e.lane.isActive?null:e.lane.
leaf,e:s});return h`<a class=${a.filter(Boolean).join(" ")} href=${l} tabindex=${o?0:-1}>
      <span class="dot" aria-hidden="true"></span>${r?.label?h`<span class="chip is-label">${r.label}</span>`:m}<span class="tree-text">${r?T(r.summary,120)||r.
who:"\u2026"}</span></a>`}render(){let e=this.virtual.items,t=e[0]?.start??0,s=this.model.laneCount-this.lanes.length;return h`${s>0&&this.lanes.length>0?h`<p class="more-lanes">${k(
this.lanes.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.wanted+=Nt}>Show ${f(Math.min(Nt,s))} more</button></p>`:m}
    <div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${L({"--lanes":String(Math.max(1,this.lanes.length))})}>
        <div class="lane-heads">${this.lanes.map(r=>this.heading(r))}</div>
        <div class="lane-rows" style=${L({height:`${this.virtual.total}px`})}>
          <div class="lane-window" style=${L({transform:`translateY(${t}px)`})}>
            ${e.map(r=>h`<div class="lane-row">${this.lanes.map(o=>this.cell(o,r.index))}</div>`)}
          </div>
        </div>
      </div>
    </div>`}};u([b({attribute:!1})],we.prototype,"model",2),u([b({attribute:!1})],we.prototype,"version",2),u([g()],we.prototype,"lanes",2),u([g()],we.prototype,
"wanted",2),we=u([x("pt-lanes")],we);var wr={user:{from:.1,to:.45,color:"--user",height:2},branch:{from:.5,to:.62,color:"--branch",height:3},label:{from:.62,to:.78,color:"--label",height:3},compaction:{
from:0,to:1,color:"--compaction",height:2},error:{from:.8,to:1,color:"--error",height:3}},Se=class extends E{constructor(){super(...arguments);this.version=0;this.
seen={first:0,last:0};this.hits=new Set;this.marksDrawn=[];this.observer=new ResizeObserver(()=>this.redraw());this.scheme=matchMedia("(prefers-color-scheme: da\
rk)");this.redraw=()=>{this.marksDrawn=[],this.requestUpdate()};this.dragged=e=>{if(e.buttons!==1)return;let t=this.getBoundingClientRect(),s=this.seen.last-this.
seen.first;this.go(Math.round((e.clientY-t.top)/t.height*this.model.path.length-s/2))};this.grabbed=e=>{e.currentTarget.setPointerCapture(e.pointerId),this.dragged(
e)};this.pressed=e=>{let t=Math.max(1,Math.round(this.model.path.length/20)),r={ArrowDown:1,ArrowUp:-1,PageDown:t,PageUp:-t,Home:-1/0,End:1/0}[e.key];r!==void 0&&
(e.preventDefault(),e.stopPropagation(),this.go(Math.max(0,Math.min(this.model.path.length-1,this.seen.first+r))))}}connectedCallback(){super.connectedCallback(),
this.observer.observe(this),this.scheme.addEventListener("change",this.redraw),window.addEventListener("theme",this.redraw)}disconnectedCallback(){super.disconnectedCallback(),
this.observer.disconnect(),this.scheme.removeEventListener("change",this.redraw),window.removeEventListener("theme",this.redraw)}updated(){this.drawMarks(),this.
drawWindow()}drawMarks(){let{path:e,marks:t}=this.model,s=[e,t,this.hits,this.clientHeight,this.clientWidth],r=this.querySelector("canvas"),o=r?.getContext("2d");
if(s.every(($,S)=>$===this.marksDrawn[S])||!r||!o)return;this.marksDrawn=s;let a=window.devicePixelRatio,[l,c]=[this.clientWidth,this.clientHeight];r.width=l*a,
r.height=c*a,o.setTransform(a,0,0,a,0,0);let d=new Map,p=$=>{let S=d.get($);return S!==void 0?S:(r.style.color=`var(${$})`,d.set($,getComputedStyle(r).color),d.
get($)??"")},v=c/Math.max(1,this.model.path.length),y=($,S,O=6)=>{let C=this.model.place($);C<0||(o.fillStyle=p(S.color),o.fillRect(S.from*l,C*v,(S.to-S.from)*l,
Math.max(S.height,Math.min(v,O))))};for(let $ of this.model.marks)y($.at,wr[$.kind]);for(let $ of this.hits)y($,{from:0,to:1,color:"--hit-strong",height:1.5},1.5)}drawWindow(){
let e=this.querySelector(".window");if(!e)return;let t=this.clientHeight/Math.max(1,this.model.path.length);e.style.top=`${this.seen.first*t}px`,e.style.height=
`${Math.max(6,(this.seen.last-this.seen.first+1)*t)}px`}go(e){this.dispatchEvent(new CustomEvent("go-place",{detail:e}))}render(){let e=this.model.path.length,t=Math.
max(0,this.seen.first)+1;return h`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1,
e)}
      aria-valuenow=${t} aria-valuetext="Entry ${f(t)} of ${f(e)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`}};u([b({attribute:!1})],Se.prototype,"model",2),u([b({attribute:!1})],Se.prototype,"v\
ersion",2),u([b({attribute:!1})],Se.prototype,"seen",2),u([b({attribute:!1})],Se.prototype,"hits",2),Se=u([x("pt-minimap")],Se);var $s=50,Sr=400,J=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.reply=null;this.next=null;this.failure="";this.loadedAs=""}willUpdate(e){
let t=`${this.model.key} ${this.model.leaf} ${this.at}`;t===this.loadedAs||this.model.path.length===0||(this.loadedAs=t,w(this.load()))}async load(){let e=this.
at===null?this.model.path.length-1:this.model.nearest(this.at),t=await this.find(e,-1)??await this.find(e,1);if(this.reply=t,!t){this.failure="There is no reply\
 on this branch.";return}this.facts=null;try{this.facts=await this.model.source.request(this.model.key,t.at),this.failure=""}catch(s){this.failure=q(s)}this.next=
(await this.find(this.model.place(t.at)+1,1))?.at??null}async find(e,t){for(let s=e;s>=0&&s<this.model.path.length;s+=t*$s){let r=t===1?s:Math.max(0,s-$s+1),o=t===
1?$s:s-r+1,a=await this.model.source.rows(this.model.key,{leaf:this.model.leaf,filter:this.model.filter,from:r,count:o,brief:!0}),l=t===1?a.find(Ui):a.findLast(
Ui);if(l)return l}return null}link(e){return A(this.model.key,"request",{leaf:this.model.leaf===this.model.facts?.leaf?null:this.model.leaf,e})}step(e,t){return t===
null?h`<span class="button is-disabled">${e}</span>`:h`<a class="button" href=${this.link(t)}>${e}</a>`}cacheBreak(e){if(e.previous===null)return h`<p class="notice">This is the first request, so nothing was cached before it.</p>`;
if(!e.cacheBreak)return h`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;let{message:t,path:s}=e.
cacheBreak;return h`<p class="notice is-bad">The cached prefix broke at message ${t}: <code>${s}</code></p>`}window({total:e,from:t,shown:s}){if(e===void 0||t===
void 0||s===void 0||s>=e)return m;let r=t+s;return this.model.source.requestsHere?h`<p class="window">${t===0?"The first":`The ${f(t)} messages before these are\
 those of the request before; the last`} ${f(s)} of ${f(e)}:</p>`:h`<p class="window">Messages ${f(t)} to ${f(r-1)} of ${f(e)}
      ${t>0?h`<button @click=${()=>this.show(Math.max(0,t-Sr))}>Earlier</button> <button @click=${()=>this.show(0)}>First</button>`:m}
      ${r<e?h`<button @click=${()=>this.show(r)}>Later</button>`:m}</p>`}show(e){let t=this.facts?.at;t!==void 0&&w(this.model.source.request(this.model.key,t,e).
then(s=>{this.facts?.at===t&&(this.facts={...this.facts,body:s.body,from:s.from??0,shown:s.shown??0})}))}copy(e){let t=typeof e.body=="string"?e.body:X(e.body).
textContent??"";w(ge(t).then(()=>H("Copied")))}render(){let{facts:e,reply:t}=this;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("\u2039 Previous",e?.previous??null)} ${this.step("Next \u203A",this.next)}
        ${t?h`<p><a href=${A(this.model.key,"",{e:t.at})}>Reply</a> <span class="muted">${T(t.summary,120)}</span></p>`:m}
        ${e?h`<button class="quiet" @click=${()=>this.copy(e)}>${(e.shown??0)<(e.total??0)?"Copy what is shown":"Copy the request"}</button>`:m}
      </div>
      ${this.model.source.requestsHere&&!this.failure?h`<p class="muted">${this.model.source.requestsHere}</p>`:m}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:m}
      ${e&&!this.failure?h`${this.cacheBreak(e)}
        <div class="columns is-request">
          <section class="card"><h2>Difference to the request before</h2>${e.previous===null||!e.difference||e.difference.length===0?h`<p class="muted">None.</p>`:
X(e.difference)}</section>
          <section class="card"><h2>Request${e.model?h` to <code>${e.model}</code>`:m}</h2>${this.window(e)}${X(e.body)}</section>
        </div>`:m}
    </div>`}};u([b({attribute:!1})],J.prototype,"model",2),u([b({attribute:!1})],J.prototype,"at",2),u([g()],J.prototype,"facts",2),u([g()],J.prototype,"reply",
2),u([g()],J.prototype,"next",2),u([g()],J.prototype,"failure",2),J=u([x("pt-request")],J);function Ui(n){return n.kind==="assistant"}var ws=100,ce=class extends E{constructor(){super(...arguments);this.depth=1;this.model=null;this.failure="";this.toggled=e=>{e.target===e.currentTarget&&e.currentTarget.
open&&this.model===null&&this.load()}}async load(){let e=new Ge(this.source,this.member.key,this.depth);try{await e.open(null,"all"),await e.loadAll(0,ws),this.
model=e,this.failure=""}catch(t){this.failure=q(t)}}render(){let e=[...this.model?.path.subarray(0,ws)??[]].filter(s=>!this.model?.isMerged(s)),t=(this.model?.path.
length??0)-ws;return h`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:h`<p><a href=${A(this.member.key)}>Open this session</a></p>
      ${this.model?e.map((s,r)=>this.row(s,r)):h`<p class="muted">Loading…</p>`}
      ${t>0?h`<p class="muted">${k(t,"more entry","more entries")}: open the session to read them.</p>`:m}`}
    </details>`}row(e,t){let s=this.model?.row(e);return!s||!this.model?m:Ft(this.model,s,{place:t,isCursor:!1,isFolded:!1,isHit:!1,isNested:!0})}};u([b({attribute:!1})],
ce.prototype,"source",2),u([b({attribute:!1})],ce.prototype,"member",2),u([b({attribute:!1})],ce.prototype,"depth",2),u([g()],ce.prototype,"model",2),u([g()],ce.
prototype,"failure",2),ce=u([x("pt-subagent")],ce);var kr=24,gt=100,xr=14,ee=class extends E{constructor(){super(...arguments);this.filter="default";this.cursor=-1;this.version=0;this.total=0;this.active=-1;this.
rows=new Map;this.pages=new Set;this.places=new Map;this.virtual=new Q(this,()=>({count:this.total,scroller:".tree-scroller",estimate:()=>kr,overscan:10}));this.
shownAs="";this.followed=-1;this.generation=0;this.pressed=e=>{let s={ArrowDown:1,j:1,ArrowUp:-1,k:-1,PageDown:20,PageUp:-20,Home:-this.total,g:-this.total,End:this.
total,G:this.total}[e.key];if(e.key==="Enter"||e.key===" ")this.choose(this.active);else if(s!==void 0)this.move(Math.max(0,Math.min(this.total-1,this.active+s)));else if(e.
key==="ArrowLeft"||e.key==="ArrowRight")this.toBranch(e.key==="ArrowLeft"?-1:1);else return;e.preventDefault(),e.stopPropagation()}}willUpdate(e){let t=this.model.
facts,s=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.filter}`;if(t&&this.model.hasRows&&s!==this.shownAs){let r=!this.shownAs.startsWith(`${this.model.key}\
 `)||!this.shownAs.endsWith(this.filter);this.shownAs=s,this.forget(r),w(this.load(0))}!this.model.hasRows||!e.has("cursor")&&this.followed===this.cursor||(this.
followed=this.cursor,w(this.follow()))}forget(e){this.generation+=1,this.pages.clear(),this.places.clear(),e&&(this.rows=new Map)}updated(){let e=this.virtual.range;
if(!(!e||this.total===0))for(let t=Math.floor(e.startIndex/gt);t<=Math.floor(e.endIndex/gt);t+=1)w(this.load(t))}async load(e){if(this.pages.has(e))return;let t=this.
generation;this.pages.add(e);let s=await this.model.source.tree(this.model.key,{from:e*gt,count:gt,filter:this.filter});t===this.generation&&this.keep(s.from,s.
rows,s.total)}keep(e,t,s){t.forEach((r,o)=>{this.rows.set(e+o,r),this.places.set(r.at,e+o)}),this.total=s,this.requestUpdate()}async follow(){if(this.cursor<0)return;
if(!this.places.has(this.cursor)){let s=this.generation,r=await this.model.source.tree(this.model.key,{count:Math.min(gt,200),filter:this.filter,at:this.cursor});
s===this.generation&&this.keep(r.from??0,r.rows,r.total)}let e=this.places.get(this.cursor)??this.nearest(this.cursor);if(e===void 0)return;this.active=e;let t=this.
virtual.range;(!t||e<=t.startIndex||e>=t.endIndex)&&this.virtual.scrollTo(e,"center")}nearest(e){let t=-1;for(let[s]of this.places)s<e&&s>t&&(t=s);return this.places.
get(t)}choose(e){let t=this.rows.get(e);t&&(this.active=e,this.dispatchEvent(new CustomEvent("choose",{detail:t.at,bubbles:!0})))}toBranch(e){for(let t=this.active+
e;this.rows.has(t);t+=e)if((this.rows.get(t)?.children??0)>1)return this.move(t)}move(e){this.active=e,this.virtual.scrollTo(e)}line(e,t){let s=this.rows.get(e),
r=e===this.active,o={transform:`translateY(${t}px)`,"--depth":String(Math.min(s?.depth??0,xr))};if(!s)return h`<div class="tree-row" role="treeitem" aria-level="1" style=${L(
o)}><span class="muted">…</span></div>`;let a=["tree-row",`is-${s.role??s.kind}`,s.active?"is-active":"is-abandoned",r?"is-here":"",r?"is-focus":"",s.isError?
"is-failed":""];return h`<div
      class=${a.filter(Boolean).join(" ")} id="tree-${s.at}" role="treeitem" aria-level=${s.depth+1} aria-selected=${s.at===this.cursor?"true":"false"}
      aria-setsize=${this.total} aria-posinset=${e+1} data-at=${s.at} style=${L(o)} @click=${()=>this.choose(e)}
    ><span class="dot" aria-hidden="true"></span>${s.label===null||s.label===void 0?m:h`<span class="chip is-label">${s.label}</span>`}<span class="tree-text">${T(
s.text,120)||s.kind}</span>${s.children>1?h`<span class="branches" title="Branches here">${s.children}</span>`:m}${s.isLeaf?h`<span class="chip">current</span>`:
m}</div>`}render(){let e=this.virtual.items,t=this.rows.get(this.active);return h`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${t?
`tree-${t.at}`:m} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${L({height:`${this.virtual.total}px`})}>
        ${We(e,s=>s.key,s=>this.line(s.index,s.start))}
      </div>
    </div>`}};u([b({attribute:!1})],ee.prototype,"model",2),u([b({attribute:!1})],ee.prototype,"filter",2),u([b({attribute:!1})],ee.prototype,"cursor",2),u([b({
attribute:!1})],ee.prototype,"version",2),u([g()],ee.prototype,"total",2),u([g()],ee.prototype,"active",2),ee=u([x("pt-tree")],ee);var Ss=[{keys:["j","ArrowDown"],shown:"j \u2193",does:"next message",action:"down"},{keys:["k","ArrowUp"],shown:"k \u2191",does:"previous message",action:"up"},
{keys:[" ","PageDown"],shown:"Space PgDn",does:"a page down",action:"pageDown"},{keys:["PageUp"],shown:"PgUp",does:"a page up",action:"pageUp"},{keys:["g","Home"],
shown:"g Home",does:"to the beginning",action:"first"},{keys:["G","End"],shown:"G End",does:"to the end",action:"last"},{keys:["]"],shown:"]",does:"next message\
 of the user",action:"nextUser"},{keys:["["],shown:"[",does:"previous message of the user",action:"previousUser"},{keys:["}"],shown:"}",does:"next error",action:"\
nextError"},{keys:["{"],shown:"{",does:"previous error",action:"previousError"},{keys:["/"],shown:"/",does:"find in this session",action:"find"},{keys:["n"],shown:"\
n",does:"next match",action:"findNext"},{keys:["N"],shown:"N",does:"previous match",action:"findPrevious"},{keys:["o","Enter"],shown:"o Enter",does:"fold or unf\
old the message",action:"fold"},{keys:["O"],shown:"O",does:"fold or unfold all messages",action:"foldAll"},{keys:["y"],shown:"y",does:"copy the message",action:"\
copy"},{keys:["Y"],shown:"Y",does:"copy its code block",action:"copyCode"},{keys:["L"],shown:"L",does:"copy a link to the message",action:"link"},{keys:["l"],shown:"\
l",does:"set a label (with --allow-edit)",action:"label"},{keys:["r"],shown:"r",does:"the request for this reply",action:"request"},{keys:["t"],shown:"t",does:"\
to the tree, and back",action:"tree"},{keys:["q"],shown:"q",does:"back to the sessions",action:"leave"}],ji=[{title:"Conversation",rows:Ss.map(({shown:n,does:i})=>[
n,i])},{title:"Everywhere",rows:[["Ctrl+K \u2318K","sessions, views and commands"],["1 \u2026 6","views of a session"],["?","this help"],["Esc","close, or leave\
 a field"]]},{title:"Sessions",rows:[["/","search"],["j \u2193","next session"],["k \u2191","previous session"],["Enter","open it"]]},{title:"Tree",rows:[["j \u2193 \
k \u2191","move"],["\u2190 \u2192","to the previous or next branch point"],["Enter","show the entry"],["t","back to the conversation"]]},{title:"Lanes, graphs a\
nd charts",rows:[["Tab","to the next part"],["\u2190 \u2192 \u2191 \u2193","move, or pan"],["+ \u2212","zoom a graph"],["0","show all of a graph"],["Enter","ope\
n what is selected"]]}];function Fe(n){let i=n.target;return i!==null&&(i.isContentEditable||/^(?:INPUT|TEXTAREA|SELECT)$/.test(i.tagName))}function Wi(n){let i=n.
target;return i!==null&&i.closest("button, a[href], summary, [role=slider], [role=tree]")!==null}var Ye=class{constructor(i){this.ends=new WeakMap;this.timer=0;this.host=i,i.addController(this)}hostDisconnected(){clearTimeout(this.timer)}watch(i){let e=Date.
now();for(let s of i)s.isLive&&!this.ends.has(s)&&this.ends.set(s,e+(s.liveMs??0));clearTimeout(this.timer);let t=i.map(s=>this.ends.get(s)??0).filter(s=>s>e);t.
length!==0&&(this.timer=window.setTimeout(()=>{this.host.requestUpdate(),this.watch(i)},Math.min(...t)-e))}has(i){return(this.ends.get(i)??0)>Date.now()}},Bt="S\
omething was written a moment ago";function zt(n){try{return localStorage.getItem(`pitree-${n}`)}catch{return null}}function Ut(n,i){try{localStorage.setItem(`pitree-${n}`,i)}catch{}}var jt=["all","no-tools","user","labeled"];var Er={default:"",all:"Everything","no-tools":"Without tools",user:"User only",labeled:"Labeled only"};function Ki(n,i,e){let t={leaf:n.route.parameters.get("l\
eaf"),e:n.cursor>=0?n.cursor:null};return h`<div class="session-head">
    <div class="title-line">
      ${n.source.hasList?h`<a class="back" href=${R("sessions")} aria-label="All sessions">‹</a>`:m}
      <h1 title=${e.title}>${e.title}</h1>
      ${n.live.has(e)?h`<span class="live" title=${Bt}>live</span>`:m}
      <p class="facts">${Mr(e).map(([s,r])=>h`<span title=${r}>${s}</span>`)}${Ar(e)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${oe.filter(({tab:s})=>n.source.tabs.has(s)).map(({tab:s,name:r})=>h`<a href=${A(i.key,s,t)} aria-current=${s===n.route.tab?"page":m}>${r}${Tr(s,e)}</a>`)}
    </nav>
  </div>`}function Tr(n,i){let e=n==="lanes"?i.laneCount??i.lanes.length:n==="family"?i.family.length:0;return e>1?h` <span class="badge">${e}</span>`:m}function Mr(n){
return[[G(n.cwd),n.cwd],[ye(n.modified),Ce(n.modified)],[k(n.entries,"entry","entries"),""],[`${I(n.tokens??0)} tokens`,f(n.tokens??0)],[Re(n.cost??null),"Recor\
ded cost"]]}function Ar(n){return h`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${n.path}</code></dd><dt>Id</dt><dd><code>${n.id}</code></dd><dt>Created</dt><dd>${Ce(n.created)}</dd>
    ${n.facts.map(([i,e])=>h`<dt>${i}</dt><dd>${e}</dd>`)}
  </dl></details>`}function Vi(n,i){return h`${Cr(n,i)}
    <div class=${n.showsTree?"panes has-tree":"panes"}>
      ${n.showsTree?h`<pt-tree .model=${i} .filter=${i.filter==="all"?"default":i.filter} .cursor=${n.cursor} .version=${n.version}
        @choose=${e=>{n.goTo(e.detail,{push:!0})}}></pt-tree>`:m}
      <pt-conversation .model=${i} .cursor=${n.cursor} .query=${n.findText} .hits=${n.hits} .version=${n.version}
        @row-action=${n.rowAction} @click=${e=>Rr(n,e)} @seen=${e=>_r(n,e.detail)}></pt-conversation>
      <pt-minimap .model=${i} .version=${n.version} .seen=${n.seen} .hits=${n.hits}
        @go-place=${e=>n.conversation?.scrollToPlace(e.detail)}></pt-minimap>
      ${n.newRows>0?h`<button class="new-rows" @click=${()=>n.toNewest()}>${k(n.newRows,"new entry","new entries")} ↓</button>`:m}
    </div>`}function _r(n,i){n.seen=i,i.last>=(n.model?.path.length??0)-1&&(n.newRows=0)}function Rr(n,i){let e=i.target,t=e.closest(".slot > article");!t||e.closest(
"a, button")||!getSelection()?.isCollapsed||(n.cursor=Number(t.dataset.at),n.noteCursor(n.cursor))}function Cr(n,i){let e=i.facts?.lanes.find(t=>t.leaf===i.leaf);
return h`<div class="toolbar">
    <button class="quiet" aria-pressed=${n.showsTree?"true":"false"} title="Tree (t)" @click=${()=>n.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${t=>n.setFilter(t.target.value)}>
        ${jt.map(t=>h`<option value=${t} ?selected=${t===i.filter}>${Er[t]}</option>`)}
      </select></label>
    <span class="spacer">${e&&!e.isActive?h`<span class="chip">abandoned branch</span> <a href=${A(i.key)}>Show the current one</a>`:m}</span>
    <pt-find .model=${i} .query=${n.findText} .hasEntry=${n.route.parameters.has("e")} .cursor=${n.cursor}
      @found=${t=>n.setFound(t.detail.query,t.detail.hits)}
      @find-at=${t=>{n.goTo(t.detail)}} @close-find=${()=>Pr(n)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${()=>n.conversation?.foldAll(!n.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${()=>n.print()}>Print</button>
  </div>`}function Pr(n){n.setFound("",new Set),n.conversation?.show(n.cursor,{focus:!0,align:"auto"})}async function ks(n,i,e=0){let t=Math.min(i.path.length,e+qt);H(t-e<i.path.length?`Preparing entries ${f(e+1)} to ${f(t)} of ${f(i.path.length)}\u2026`:"Prepari\
ng the pages\u2026"),await i.loadAll(e,qt),await Or(n,e),window.print(),await xs(n)}async function xs(n){n.isPrinting&&(n.isPrinting=!1,await n.updateComplete,n.
show(n.cursor,{align:"center"}))}async function Or(n,i){n.printedFrom=i,n.isPrinting=!0,await n.updateComplete}var N=class extends E{constructor(){super(...arguments);this.model=null;this.version=0;this.cursor=-1;this.seen={first:0,last:0};this.hits=new Set;this.findText=
"";this.newRows=0;this.showsTree=zt("tree")!=="no"&&innerWidth>760;this.failure="";this.live=new Ye(this);this.openedAs="";this.isStale=!1;this.isRefreshing=!1;
this.noteCursor=Y(300,e=>{this.isConnected&&this.route.tab===""&&this.cursor===e&&P(Ue(this.here,{e}),!0)});this.printing=()=>{!this.conversation||this.conversation.
isPrinting||(this.conversation.printedFrom=0,this.conversation.isPrinting=!0)};this.printed=()=>{this.conversation&&w(xs(this.conversation))};this.rowAction=e=>this.
act(e.detail.action,e.detail.at);this.actions={down:()=>this.moveTo(this.conversation?.step(this.cursor,1)??null),up:()=>this.moveTo(this.conversation?.step(this.
cursor,-1)??null),pageDown:()=>this.page(1),pageUp:()=>this.page(-1),first:()=>this.moveTo(this.model?.path[0]??null,"start"),last:()=>this.moveTo(this.lastShown(),
"center"),nextUser:()=>this.toMark("user",1),previousUser:()=>this.toMark("user",-1),nextError:()=>this.toMark("error",1),previousError:()=>this.toMark("error",
-1),find:()=>this.finder?.focusField(),findNext:()=>this.finder?.step(1),findPrevious:()=>this.finder?.step(-1),fold:()=>this.conversation?.fold(this.cursor),foldAll:()=>this.
conversation?.foldAll(!this.conversation.isAllFolded),copy:()=>this.act("copy",this.cursor),copyCode:()=>this.act("copyCode",this.cursor),link:()=>this.act("lin\
k",this.cursor),label:()=>this.act("label",this.cursor),request:()=>this.act("request",this.cursor),tree:()=>this.toTree(),leave:()=>P(this.route.tab===""?R("se\
ssions"):A(this.route.key))};this.pressed=e=>{if(e.defaultPrevented||Fe(e)||document.querySelector("dialog[open]"))return;if((e.ctrlKey||e.metaKey)&&e.key==="p"&&
this.route.tab==="")return e.preventDefault(),this.print();if(e.ctrlKey||e.metaKey||e.altKey)return;let t=oe.find(o=>o.key===e.key);if(t&&this.source.tabs.has(t.
tab))return P(A(this.route.key,t.tab,{leaf:this.route.parameters.get("leaf"),e:this.cursor>=0?this.cursor:null}));let s=Ss.find(({keys:o})=>o.includes(e.key)),r=(e.
key==="Enter"||e.key===" ")&&Wi(e);!s||r||this.route.tab!==""&&s.action!=="leave"||(e.preventDefault(),this.actions[s.action]())}}connectedCallback(){super.connectedCallback(),
window.addEventListener("keydown",this.pressed),window.addEventListener("beforeprint",this.printing),window.addEventListener("afterprint",this.printed)}disconnectedCallback(){
super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed),window.removeEventListener("beforeprint",this.printing),window.removeEventListener(
"afterprint",this.printed)}willUpdate(e){(e.has("route")||e.has("source"))&&this.followRoute()}followRoute(){let{key:e,parameters:t}=this.route;this.model?.key!==
e&&(this.model=new Ge(this.source,e),this.model.changed=()=>this.loaded(),this.cursor=-1,this.openedAs="",this.hits=new Set);let s=Es(t.get("leaf")),r=jt.find(c=>c===
t.get("filter"))??"all",o=t.get("e")||this.route.entry,a=Es(o),l=`${s} ${r}`;this.findText=t.get("find")??"",l!==this.openedAs?(this.openedAs=l,w(this.open(this.
model,s,r,a,o))):a!==null&&a!==this.cursor&&this.reach(a)}reach(e){this.route.tab===""&&(this.model?.place(e)??0)<0?w(this.goTo(e)):this.show(e)}loaded(){this.cursor=
this.model?.callerOf(this.cursor)??this.cursor,this.model?.facts&&this.live.watch([this.model.facts]),this.version+=1}async open(e,t,s,r,o){try{await e.open(t,s),
this.failure="",document.title=`${T(e.facts?.title??"Session",80)} \xB7 pitree`,await this.updateComplete,r??=await this.entryOf(o),this.route.tab===""?this.begin(
r):r!==null&&(this.cursor=r),await e.readMarks()}catch(a){this.failure=q(a)}}async entryOf(e){if(e==="")return null;let t=/^e\d+$/.test(e)?Number(e.slice(1)):await this.
source.resolve(this.route.key,e);return t>=0?t:null}begin(e){e!==null?this.reach(e):this.cursor<0?this.cursor=this.model?.path[0]??-1:this.show(this.cursor)}get here(){
return{...this.route,parameters:ot(location.hash).parameters}}async goTo(e,{push:t=!1,focus:s=!1}={}){let r=this.model;if(!r)return;let o=await r.leafFor(e),a=o!==
r.leaf&&o!==null,l=A(r.key,"",{...Object.fromEntries(this.here.parameters),leaf:a?o:this.here.parameters.get("leaf"),e});t||a?(a&&H("On another branch: switched\
 to it."),P(l,!t)):(this.show(e,s),P(l,!0))}show(e,t=!1){this.cursor=this.model?.callerOf(e)??e,this.version+=1,this.updateComplete.then(()=>this.conversation?.
show(e,{focus:t}))}moveTo(e,t="auto"){e!==null&&(this.cursor=e,this.updateComplete.then(()=>this.conversation?.show(e,{focus:!0,align:t})),this.noteCursor(e))}async liveChange(e){
if(!(!e.all&&!e.changed.includes(this.route.key))){if(this.failure)return this.openedAs="",this.followRoute();if(this.isStale=!0,!this.isRefreshing){this.isRefreshing=
!0;try{for(;this.isStale;)this.isStale=!1,await this.refresh()}finally{this.isRefreshing=!1}}}}async refresh(){let e=this.model;if(!e?.facts)return;let t=this.conversation?.
isAtEnd??!1,s=await e.refresh();s<=0||e!==this.model||(fe(k(s,"new entry","new entries")),t?this.updateComplete.then(()=>this.conversation?.scrollToEnd()):this.
newRows+=s)}toNewest(){this.newRows=0,this.moveTo(this.model?.path.at(-1)??null,"start"),this.updateComplete.then(()=>this.conversation?.scrollToEnd())}setFilter(e){
P(Ue(this.here,{filter:e==="all"?null:e,e:this.cursor>=0?this.cursor:null}))}setFound(e,t){this.findText=e,this.hits=t,P(Ue(this.here,{find:e||null}),!0)}toggleTree(){
this.showsTree=!this.showsTree,Ut("tree",this.showsTree?"yes":"no")}rename(){let e=prompt("Name of the session (empty removes it)",this.model?.facts?.name??"");
e!==null&&w(this.source.rename(this.route.key,e.trim()))}savePosition(){w(this.source.goTo(this.route.key,this.cursor).then(()=>H("Position saved")))}print(){this.
conversation&&this.model&&w(ks(this.conversation,this.model))}printFromHere(){this.conversation&&this.model&&w(ks(this.conversation,this.model,Math.max(0,this.model.
nearest(this.cursor))))}get canEdit(){return this.source.canEdit&&this.model?.facts?.canEdit===!0}act(e,t){let s=this.model,r=s?.row(t);if(!(!s||!r))switch(e){case"\
fold":return this.conversation?.fold(t);case"copy":return w(ge(Pi(r)).then(()=>H("Message copied")));case"copyCode":return this.copyCode(Oi(r));case"link":return w(
ge(new URL(A(s.key,"",{leaf:this.route.parameters.get("leaf"),e:t}),location.href).href).then(()=>H("Link copied")));case"request":return P(A(s.key,"request",{leaf:this.
route.parameters.get("leaf"),e:t}));case"label":return this.askLabel(t,r.label)}}copyCode(e){if(e.length===0)return H("No code block in this message");w(ge(e.join(
`

`)).then(()=>H(e.length===1?"Code block copied":k(e.length,"code block copied","code blocks copied"))))}askLabel(e,t){let s=this.source.canEdit?prompt("Label (e\
mpty removes it)",t??""):null;s!==null&&w(this.source.label(this.route.key,e,s.trim()))}lastShown(){let e=this.model?.path.at(-1);return e===void 0?null:this.model?.
callerOf(e)??e}page(e){this.conversation?.scrollByPage(e),requestAnimationFrame(()=>requestAnimationFrame(()=>this.cursor=this.conversation?.firstSeen()??this.cursor))}toMark(e,t){
let s=this.model?.nextMark(e,this.cursor,t)??null;if(s===null)return fe(e==="user"?"No further message":"No further error");this.show(s,!0),this.noteCursor(this.
cursor)}toTree(){this.showsTree||this.toggleTree(),this.updateComplete.then(()=>{let e=this.querySelector(".tree-scroller");document.activeElement===e?this.conversation?.
show(this.cursor,{focus:!0,align:"auto"}):e?.focus()})}render(){let e=this.model;return this.failure?h`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.
failure}</p><p><a href=${R("sessions")}>All sessions</a></p></main>`:e?.facts?h`${Ki(this,e,e.facts)}<main class="session-main" tabindex="-1">${this.tab(e)}</main>`:
h`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`}tab(e){let t=Es(this.route.parameters.get("e"));switch(this.route.tab){case"l\
anes":return h`<pt-lanes .model=${e} .version=${this.version}></pt-lanes>`;case"tree":return h`<pt-graph .model=${e} .version=${this.version}></pt-graph>`;case"\
family":return h`<pt-family .model=${e} .version=${this.version}></pt-family>`;case"context":return h`<pt-context .model=${e} .at=${t}></pt-context>`;case"reque\
st":return h`<pt-request .model=${e} .at=${t}></pt-request>`;default:return Vi(this,e)}}};u([b({attribute:!1})],N.prototype,"source",2),u([b({attribute:!1})],N.
prototype,"route",2),u([g()],N.prototype,"model",2),u([g()],N.prototype,"version",2),u([g()],N.prototype,"cursor",2),u([g()],N.prototype,"seen",2),u([g()],N.prototype,
"hits",2),u([g()],N.prototype,"findText",2),u([g()],N.prototype,"newRows",2),u([g()],N.prototype,"showsTree",2),u([g()],N.prototype,"failure",2),u([me("pt-conve\
rsation")],N.prototype,"conversation",2),u([me("pt-find")],N.prototype,"finder",2),N=u([x("pt-session")],N);function Es(n){return n!==null&&/^\d+$/.test(n)?Number(
n):null}function yt(n,i=!1){let e=Math.max(1e-9,...n.map(({value:t})=>t));return h`<div class=${i?"bars is-wide":"bars"}>${n.map(({name:t,title:s,value:r,shown:o,note:a,
link:l})=>{let c=h`<span class="bar-name" title=${s}>${t}</span><span class="bar-value">${o}${a?h` <small>${a}</small>`:m}</span>
      <span class="bar-fill series-0" style=${L({width:`${r/e*100}%`})}></span>`;return l===null?h`<div class="bar">${c}</div>`:h`<a class="bar" href=${l}>${c}</a>`})}</div>`}
function Wt(n,i,e){let t=Math.max(1e-9,...n.map(({value:s})=>s));return h`<div class="standing" role="group" aria-label=${i}>${n.map((s,r)=>{let o=`${s.title}: ${s.
shown}`,a=s.value>0?`max(2px, ${s.value/t*100}%)`:"0",l=h`<span class="column-fill" style=${L({height:a})}></span><span class="tick" aria-hidden="true">${e(s,r)}</span>`;
return s.link===null?h`<span class="column" role="img" aria-label=${o} title=${o}>${l}</span>`:h`<a class="column" href=${s.link} aria-label=${o} title=${o}>${l}</a>`})}</div>`}
function Gi(n){if(!n||n.every(t=>t===0))return h`<span class="spark"></span>`;let i=Math.max(...n),e=n.map((t,s)=>t===0?"":`M${s*3+1} 16v${-Math.max(1.5,t/i*15)}`).
join("");return h`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${e}></path></svg>`}function Ts({text:n,marks:i}){let e=[],t=0;for(let[s,r]of[...i].sort((o,a)=>o[0]-a[0]))s<t||r<=s||r>n.length||(e.push(n.slice(t,s),h`<mark>${n.slice(s,r)}</mark>`),
t=r);return e.push(n.slice(t)),h`${e}`}function vt(n,i){let e=n.toLowerCase(),t=[];if(e.length===n.length)for(let s of i)for(let r=e.indexOf(s);s&&r>=0;r=e.indexOf(
s,r+s.length))t.push([r,r+s.length]);return Ts({text:n,marks:t})}function Kt({hit:n}){return n?typeof n.at=="number"?String(n.at):n.id||(n.line?`line-${n.line}`:null):null}function Yi(n,i){let e=new Map(n.map(l=>[l.key,l])),t=new Map;for(let l of n)l.parentKey!==null&&e.has(l.parentKey)&&l.parentKey!==l.key&&t.set(l.parentKey,[...t.
get(l.parentKey)??[],l]);let s=new Set,r=[],o=(l,c,d)=>{if(s.has(l.key))return 0;s.add(l.key);let p={row:l,depth:c,below:0};d&&r.push(p);for(let v of t.get(l.key)??
[])p.below+=1+o(v,c+1,d&&!i.has(l.key));return p.below},a=l=>{let c=l;for(let d=0;d<n.length&&c.parentKey!==null;d+=1)c=e.get(c.parentKey)??{...c,parentKey:null};
return e.get(c.key)??l};for(let l of n)o(a(l),0,!0);return r}function Xi(n){return n.map(i=>({row:i,depth:0,below:0}))}var Ms=100,Lr=5e3,Ir=[["recent","Recent"],["cost","Cost"],["messages","Messages"],["tokens","Tokens"],["relevance","Relevance"]],j=class extends E{constructor(){
super(...arguments);this.version=0;this.rows=[];this.total=-1;this.isGuess=!1;this.failure="";this.active="";this.projects=[];this.folded=new Set;this.asked="";
this.focusedKey=null;this.live=new Ye(this);this.virtual=new Q(this,()=>({count:this.list.length,scroller:".list-scroller",estimate:e=>this.list[e]?.row.hit?78:
54,measures:!0,keyOf:e=>this.list[e]?.row.key??e}));this.listed=null;this.readProjects=Y(400,()=>w(this.source.projects().then(e=>this.projects=e)));this.refresh=
Y(400,()=>w(this.load(!0)));this.typed=Y(120,e=>this.set({q:e||null},!0));this.pressed=e=>{let t=!e.ctrlKey&&!e.metaKey&&!e.altKey&&!document.querySelector("dia\
log[open]");if(e.defaultPrevented||!t)return;let s=this.querySelector(".search input"),r=e.target===s,o={ArrowDown:1,ArrowUp:-1,...r?{}:{j:1,k:-1}}[e.key];if(!(Fe(
e)&&!r)){if(e.key==="/"&&!r)s?.focus();else if(e.key==="Escape"&&r)s?.blur();else if(e.key==="Enter"&&r)this.open(this.list.find(({row:a})=>a.key===this.active)?.
row??this.list[0]?.row);else if(o!==void 0)this.move(o,r);else return;e.preventDefault()}}}connectedCallback(){super.connectedCallback(),window.addEventListener(
"keydown",this.pressed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed)}value(e){return this.route.parameters.
get(e)??""}get words(){return this.value("q").toLowerCase().split(/\s+/).filter(Boolean)}get list(){let e=this.value("q")!==""||this.value("flat")==="1";return(this.
listed?.rows!==this.rows||this.listed.folded!==this.folded||this.listed.isFlat!==e)&&(this.listed={rows:this.rows,folded:this.folded,isFlat:e,list:e?Xi(this.rows):
Yi(this.rows,this.folded)}),this.listed.list}willUpdate(e){document.activeElement!==document.body&&(this.focusedKey=this.querySelector(".session:focus-within")?.
dataset.key??null);let t=e.has("source")||e.has("route")&&this.route.parameters.toString()!==this.asked;(e.has("source")||e.has("version"))&&this.readProjects(),
t?w(this.load(!1)):e.has("version")&&this.refresh()}updated(){this.focusedKey===null||document.activeElement!==document.body||this.querySelector(`[data-key="${CSS.
escape(this.focusedKey)}"] a.title`)?.focus({preventScroll:!0})}async load(e){let t=this.route.parameters.toString();this.asked=t;try{let s=[];for(let r=0;r<Lr;r+=
Ms){let o=await this.page(r);if(t!==this.asked)return;s=[...s,...o.rows];let a=o.rows.length<Ms||s.length>=o.total;if((!e||a)&&this.take(o,s,r),a)break}this.failure=
""}catch(s){this.failure=q(s)}}page(e){return this.source.sessions({q:this.value("q"),project:this.value("project"),sort:this.value("sort"),in:this.value("in"),
since:this.value("since"),until:this.value("until"),offset:e,limit:Ms})}take(e,t,s){this.rows=t,this.live.watch(t),this.isGuess=e.isGuess,!(s>0&&this.total===e.
total)&&(this.total=e.total,fe(k(this.total,"session")))}get group(){let[e="",...t]=this.value("in").split(":"),s=t.join(":"),r=e==="family"?this.rows.find(({key:a})=>a===
s)?.title:void 0,o=[this.value("since")&&`since ${this.value("since")}`,this.value("until")&&`until ${this.value("until")}`].filter(Boolean).join(" ");return[e,
r===void 0?s||"not recorded":T(r,40),o].filter(Boolean).join(" ")}set(e,t=!1){P(Ue(this.route,e),t)}move(e,t){let s=this.list,r=Math.max(0,Math.min(s.length-1,s.
findIndex(({row:a})=>a.key===this.active)+e)),o=s[r]?.row.key;o!==void 0&&(this.active=o,this.virtual.scrollTo(r),!t&&this.updateComplete.then(()=>requestAnimationFrame(
()=>this.querySelector(`[data-key="${o}"] a.title`)?.focus({preventScroll:!0}))))}open(e){e&&P(this.link(e))}link(e){let t=this.value("q");if(!e.hit||t==="")return A(
e.key);let s=e.hit.snippet.marks[0],r=s?e.hit.snippet.text.slice(s[0],s[1]):null;return A(e.key,"",{e:Kt(e),find:r})}askDelete(e){window.dispatchEvent(new CustomEvent(
"ask-delete",{detail:e}))}fold(e){let t=new Set(this.folded);t.delete(e)||t.add(e),this.folded=t}row({row:e,depth:t,below:s}){let r=this.words,o=this.folded.has(
e.key),a=this.live.has(e);return h`<div class=${`session ${e.key===this.active?"is-active":""} ${a?"is-live":""}`} data-key=${e.key} style=${L({"--depth":String(
Math.min(t,6))})}>
      ${t>0?h`<span class="thread" aria-hidden="true"></span>`:m}
      <div class="session-text">
        <p class="session-title">${a?h`<span class="live" title=${Bt}>live</span>`:m}${e.isSubagent?h`<span class="chip">sub-agent</span>`:m}<a class="title" href=${this.
link(e)}>${vt(T(e.title,140),r)}</a>
          ${e.name!==null&&e.firstMessage&&!e.hit?h`<span class="first-message">${T(e.firstMessage,120)}</span>`:m}
          ${s>0?h`<button class="quiet fold" aria-expanded=${o?"false":"true"} @click=${()=>this.fold(e.key)}>${o?"+":"\u2212"} ${k(s,"more","more")}</button>`:
m}</p>
        ${e.hit&&e.hit.snippet.text.trim()!==e.title.trim()?h`<p class="hit">${Ts({...e.hit.snippet})}</p>`:m}
        <p class="session-facts"><span title=${e.cwd}>${vt(G(e.cwd),r)}</span>${e.model?h`<span>${e.model}</span>`:m}${this.why(e)}</p>
      </div>
      ${Gi(e.activity)}
      <span class="number" title=${`${f(e.messages)} messages`}>${I(e.messages)}<small> msg</small></span>
      <span class="number" title=${`${f(e.tokens)} tokens`}>${Re(e.cost)}</span>
      <time class="number" title=${Ce(e.modified)}>${ye(e.modified)}</time>
      ${this.source.canEdit?h`<button class="quiet row-delete" title="Delete" aria-label=${`Delete ${T(e.title,60)}`} @click=${()=>this.askDelete(e.key)}>✕</button>`:
m}
    </div>`}why(e){let t=e.why??[];return t.length===0?m:h`<span class="why">matches ${t.map(({term:s,in:r,whole:o},a)=>h`${a>0?", ":""}<b>${s}</b> in the ${r}${o?
"":" (part of a word)"}`)}</span>`}filters(){let e=this.value("project"),t=e===""||this.projects.some(({cwd:r})=>r===e)?this.projects:[...this.projects,{cwd:e,sessions:0}],
s=r=>o=>this.set({[r]:o.target.value||null});return h`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${s("project")}><option value="">All projects</option>${t.map(({cwd:r,sessions:o})=>h`<option value=${r} title=${r} ?selected=${r===
e}>${G(r)} (${f(o)})</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${s("sort")}>${Ir.map(([r,o])=>h`<option value=${r==="recent"?"":r} ?selected=${r===
(this.value("sort")||"recent")}>${o}</option>`)}</select></label>
      ${this.value("q")?m:h`<button class="quiet" aria-pressed=${this.value("flat")==="1"?"false":"true"} @click=${()=>this.set({flat:this.value("flat")==="1"?null:
"1"})}>Threads</button>`}
      ${this.value("in")?h`<span class="chip" title=${this.group}>${this.group} <button class="quiet" aria-label="Show all sessions" @click=${()=>this.set({in:null,
since:null,until:null})}>✕</button></span>`:m}
      <span class="list-count">${this.total<0?"":k(this.total,"session")}</span>
    </div>`}notice(){return this.failure?h`<p class="notice is-bad">${this.failure}</p>`:this.isGuess&&this.rows.length>0?h`<p class="notice">Nothing matched exactly. These come close.</p>`:
this.total===0?h`<p class="empty">${this.value("q")?"Nothing matched.":"There are no sessions yet."}</p>`:m}render(){let e=this.list;return h`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.
value("q")} @input=${t=>this.typed(t.target.value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${L({height:`${this.virtual.total}\
px`})}>
        ${We(this.virtual.items,t=>t.key,t=>h`<div class="slot" role="listitem" aria-setsize=${e.length} aria-posinset=${t.index+1} data-index=${t.index} style=${L(
{transform:`translateY(${t.start}px)`})}>${e[t.index]?this.row(e[t.index]):m}</div>`)}
      </div></div></main>`}};u([b({attribute:!1})],j.prototype,"source",2),u([b({attribute:!1})],j.prototype,"route",2),u([b({attribute:!1})],j.prototype,"versi\
on",2),u([g()],j.prototype,"rows",2),u([g()],j.prototype,"total",2),u([g()],j.prototype,"isGuess",2),u([g()],j.prototype,"failure",2),u([g()],j.prototype,"activ\
e",2),u([g()],j.prototype,"projects",2),u([g()],j.prototype,"folded",2),j=u([x("pt-sessions")],j);var Qi=[{by:"day",name:"Day"},{by:"week",name:"Week"},{by:"model",name:"Model"},{by:"project",name:"Project"},{by:"role",name:"Role"},{by:"family",name:"Family"}],
Vt=60,Fr=120,qr=["today","yesterday","7d","30d","this week","last week","this month","last month","this year"],Zi=864e5,te=class extends E{constructor(){super(...arguments);
this.version=0;this.facts=null;this.failure="";this.shown=Vt;this.asked=""}get by(){return Qi.find(({by:e})=>e===this.route.parameters.get("by"))?.by??"day"}get isByTokens(){
return this.route.parameters.get("unit")==="tokens"}get kept(){return{unit:this.isByTokens?"tokens":null,since:this.time("since"),until:this.time("until")}}time(e){
return this.route.parameters.get(e)||null}willUpdate(e){(e.has("route")||e.has("version"))&&this.load()}async load(){let e=[this.by,this.time("since"),this.time(
"until")].join(`
`);e!==this.asked&&(this.shown=Vt),this.asked=e;try{let t=await this.source.spend({by:this.by,since:this.time("since")??"",until:this.time("until")??""});if(e!==
this.asked)return;this.facts=t,this.failure=""}catch(t){e===this.asked&&(this.failure=q(t))}}bar(e){let t=e.key??"not recorded",s=this.isByTokens?e.tokens.total:
e.cost??0,r=this.isByTokens?`${I(s)} tokens`:Re(e.cost),o={project:G(t),family:e.title??(e.path?G(e.path,1):t)},a=e.sessionCount>0?R("sessions",{in:`${this.by}:${e.
group}`,since:this.time("since"),until:this.time("until")}):null;return{name:o[this.by]??t,title:t,value:s,shown:r,note:e.sessionCount>0?k(e.sessionCount,"sessi\
on"):k(e.count,"request"),link:a}}more(e){let t=e-this.shown;return t>0?h`<p class="more-bars"><button @click=${()=>this.shown+=Vt}>Show ${f(Math.min(Vt,t))} more</button> <span class="muted">of ${f(
e)}</span></p>`:m}chart(e){let t=e.rows.map(l=>this.bar(l));if(this.by!=="day"&&this.by!=="week")return h`${yt(t.slice(0,this.shown),!0)}${this.more(t.length)}`;
let s=Hr(t,this.by==="day"?1:7),r=s.slice(-Fr),o=(l,c)=>l.title.slice(0,7)!==r[c-1]?.title.slice(0,7)?Dr(l.title):"",a=r.length<s.length;return h`${a?h`<p class="muted">The last ${f(
r.length)} ${this.by}s of ${f(s.length)}; the list below has all. Choose times to see others.</p>`:m}${Wt(r,`Spend by ${this.by}`,o)}<details class="in-words" open><summary>As a list</summary>${yt(
t.slice(-this.shown).reverse(),!0)}${this.more(t.length)}</details>`}set(e,t){let s=t.target.value.trim();P(R("spend",{by:this.by,...this.kept,[e]:s||null}))}times(){
let e=(s,r)=>h`<label>${r} <input type="text" list="times" size="11" placeholder=${s==="since"?"the start":"now"} autocomplete="off" spellcheck="false"
      .value=${this.time(s)??""} @change=${o=>this.set(s,o)}></label>`,t=this.time("since")!==null||this.time("until")!==null;return h`<div class="times" role="group" aria-label="Time">${e(
"since","Since")} ${e("until","Until")}
      ${t?h`<a href=${R("spend",{by:this.by,unit:this.kept.unit})}>All time</a>`:m}
      <datalist id="times">${qr.map(s=>h`<option value=${s}></option>`)}</datalist></div>`}card(){let{facts:e}=this;return this.failure?h`<p class="notice is-bad">${this.
failure}</p>`:!e||e.by!==this.by?h`<p class="muted">Adding up…</p>`:e.rows.length>0?this.chart(e):h`<p class="muted">${this.time("since")||this.time("until")?
"Nothing was spent in that time.":"Nothing was spent yet."}</p>`}render(){let e=this.facts,{kept:t}=this;return h`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${e&&!this.failure?h`<div class="figures">
        <div><b>${Re(e.total.cost)}</b><span>recorded</span></div><div><b>${I(e.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${f(e.total.count)}</b><span>requests</span></div>
        ${e.total.unknownCosts>0?h`<div><b>${f(e.total.unknownCosts)}</b><span>without a recorded cost</span></div>`:m}
      </div>`:m}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${Qi.map(({by:s,name:r})=>h`<a href=${R("spend",{by:s,...t})} aria-current=${s===this.by?"true":m}>${r}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${R("spend",{by:this.by,...t,unit:null})} aria-current=${this.isByTokens?m:"true"}>Dollars</a><a href=${R(
"spend",{by:this.by,...t,unit:"tokens"})} aria-current=${this.isByTokens?"true":m}>Tokens</a></nav>
        ${this.times()}
      </div>
      <section class="card">${this.card()}</section>
    </main>`}};u([b({attribute:!1})],te.prototype,"source",2),u([b({attribute:!1})],te.prototype,"route",2),u([b({attribute:!1})],te.prototype,"version",2),u([g()],
te.prototype,"facts",2),u([g()],te.prototype,"failure",2),u([g()],te.prototype,"shown",2),te=u([x("pt-spend")],te);function Hr(n,i){let e=[];for(let t of n){let s=Date.
parse(t.title),r=e.at(-1),o=r?Date.parse(r.title):NaN;for(let a=o+i*Zi;a<s&&e.length<1e4;a+=i*Zi){let l=new Date(a).toISOString().slice(0,10);e.push({name:l,title:l,
value:0,shown:"nothing",link:null})}e.push(t)}return e}function Dr(n){let i=new Date(`${n}T12:00:00`);return Number.isNaN(i.getTime())?"":i.toLocaleString("en-U\
S",{month:"short"})}var Nr=15,Ji=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],Br=[["branchedSessions","Sessions with branches","on:abandoned"],["branchP\
oints","Branch points","on:abandoned"],["forkedSessions","Sessions that were forked",null],["forks","Forks",null],["compactions","Compactions","role:summary"],[
"branchSummaries","Branch summaries","role:summary"],["labels","Labels","role:label"],["subagentRuns","Sub-agent runs","tool:subagent"]];function zr(n,i){return i.
includes('"')?null:/^[^\s:]+$/.test(i)?`${n}:${i}`:`${n}:"${i}"`}function en(n){return n.includes('"')?null:`"${n}"`}var qe=class extends E{constructor(){super(
...arguments);this.version=0;this.facts=null}willUpdate(e){(e.has("source")||e.has("version"))&&w(this.source.stats().then(t=>this.facts=t))}card(e,t){return h`<section class="card"><h2>${e}</h2>${t.
length===0?h`<p class="muted">None.</p>`:yt(t.slice(0,Nr))}</section>`}hours(e){let t=e.hours.map((s,r)=>({name:`${r}`,title:`${r}:00`,value:s,shown:k(s,"messag\
e"),link:null}));return h`<section class="card"><h2>Hours of the day</h2>${Wt(t,"Messages by hour",(s,r)=>r%6===0?s.title:"")}</section>`}render(){let e=this.facts;
if(!e)return h`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;let{totals:t}=e,s=(a,l)=>l>0?`${k(l,"error")}`:(a>0,""),
r=a=>a===null?null:R("sessions",{q:a}),o=[[t.sessions,"sessions",R("sessions")],[t.messages.total,"messages",R("sessions",{sort:"messages"})],[t.projects,"proje\
cts",R("spend",{by:"project"})],[t.activeDays,"active days",R("spend",{by:"day"})],[t.replies,"replies",r("role:assistant")],[t.failedReplies,"failed replies",r(
"role:assistant is:error")]];return h`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${o.map(([a,l,c])=>c===null||a===0?h`<div title=${f(a)}><b>${I(a)}</b><span>${l}</span></div>`:h`<a href=${c} title=${f(a)}><b>${I(a)}</b><span>${l}</span></a>`)}</div>
      <div class="masonry">
        ${this.card("Tools",e.tools.map(({name:a,calls:l,errors:c})=>({name:a,title:a,value:l,shown:f(l),note:s(l,c),link:r(zr("tool",a))})))}
        ${this.card("Models",e.models.map(({model:a,replies:l})=>({name:a??"not recorded",title:a??"",value:l,shown:f(l),link:a===null?null:R("sessions",{in:`mo\
del:${a}`})})))}
        ${this.card("Commands",e.commands.map(({command:a,runs:l,errors:c})=>({name:a,title:a,value:l,shown:f(l),note:s(l,c),link:r(en(a))})))}
        ${this.card("Files",e.files.map(({path:a,project:l,reads:c,edits:d,writes:p})=>({name:G(a),title:`${a}${l?` (${l})`:""}`,value:c+d+p,shown:f(c+d+p),note:`${d}\
 edits`,link:r(en(a.split("/").at(-1)??a))})))}
        ${this.hours(e)}
        ${this.card("Days of the week",e.weekdays.map((a,l)=>({name:Ji[l]??"",title:Ji[l]??"",value:a,shown:f(a),link:null})))}
        ${this.card("Habits",Br.map(([a,l,c])=>({name:l,title:l,value:e.habits[a]??0,shown:f(e.habits[a]??0),link:e.habits[a]?r(c):null})))}
      </div></main>`}};u([b({attribute:!1})],qe.prototype,"source",2),u([b({attribute:!1})],qe.prototype,"version",2),u([g()],qe.prototype,"facts",2),qe=u([x("p\
t-stats")],qe);var se=class extends E{constructor(){super(...arguments);this.commands=()=>[];this.text="";this.sessions=[];this.active=0;this.focusedBefore=null;this.closed=()=>{
this.focusedBefore?.isConnected&&this.focusedBefore.focus()};this.look=Y(90,e=>w(this.search(e)));this.pressed=e=>{let t=this.choices,s={ArrowDown:1,ArrowUp:-1}[e.
key];if(e.key==="Enter")this.choose(t[this.active]);else if(s!==void 0)this.active=(this.active+s+t.length)%Math.max(1,t.length);else return;e.preventDefault(),
e.stopPropagation(),this.updateComplete.then(()=>this.querySelector(`#choice-${this.active}`)?.scrollIntoView({block:"nearest"}))}}open(){let e=this.querySelector(
"dialog");!e||e.open||(this.focusedBefore=document.activeElement,this.text="",this.active=0,e.showModal(),this.querySelector("input")?.focus(),w(this.search("")))}close(){
this.querySelector("dialog")?.close()}async search(e){if(!this.source.hasList)return;let t=await this.source.sessions({q:e,limit:8});e===this.text&&(this.sessions=
t.rows.map(s=>({name:T(s.title,90),note:`${G(s.cwd,1)} \xB7 ${ye(s.modified)}`,kind:"Session",run:()=>P(A(s.key,"",{e:e?Kt(s):null}))})))}get choices(){let e=this.
source.hasList?[["Sessions",R("sessions")],["Spend",R("spend")],["Stats",R("stats")]].map(([l="",c=""])=>({name:l,note:"",kind:"View",run:()=>P(c)})):[],t=this.
route.parameters.get("leaf"),s=this.route.view!=="session"?[]:oe.filter(({tab:l})=>this.source.tabs.has(l)).map(({tab:l,name:c,key:d})=>({name:c,note:d,kind:"Vi\
ew",run:()=>P(A(this.route.key,l,{leaf:t}))})),r=this.commands().map(l=>({...l,kind:"Command"})),o=this.text.toLowerCase().split(/\s+/).filter(Boolean),a=({name:l})=>o.
every(c=>l.toLowerCase().includes(c));return[...this.sessions,...[...s,...e,...r].filter(a)]}choose(e){e&&(this.focusedBefore=null,this.close(),e.run())}typed(e){
this.text=e,this.active=0,this.look(e)}render(){let e=this.choices,t=this.text.toLowerCase().split(/\s+/).filter(Boolean);return h`<dialog class="palette" aria-label="Go to" @close=${this.
closed} @click=${s=>s.target===s.currentTarget&&this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${e.length>0?`choice-${this.
active}`:m}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.
text}
        @input=${s=>this.typed(s.target.value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${e.map((s,r)=>h`<div id=${`choice-${r}`} role="option" class=${r===this.active?"choice is-active":"\
choice"} aria-selected=${r===this.active?"true":"false"}
        @click=${()=>this.choose(s)} @pointermove=${()=>this.active=r}><span class="choice-kind">${s.kind}</span><span class="choice-name">${vt(s.name,t)}</span><span class="muted">${s.
note}</span></div>`)}
      </div>${e.length===0?h`<p class="empty">Nothing matched.</p>`:m}</dialog>`}};u([b({attribute:!1})],se.prototype,"source",2),u([b({attribute:!1})],se.prototype,
"route",2),u([b({attribute:!1})],se.prototype,"commands",2),u([g()],se.prototype,"text",2),u([g()],se.prototype,"sessions",2),u([g()],se.prototype,"active",2),se=
u([x("pt-palette")],se);var Gt=class extends E{constructor(){super(...arguments);this.focusedBefore=null;this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}toggle(){
let e=this.querySelector("dialog");if(e){if(e.open)return e.close();this.focusedBefore=document.activeElement,e.showModal()}}render(){let e=()=>this.querySelector(
"dialog")?.close();return h`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${t=>t.target===t.currentTarget&&e()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${e}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${ji.map(({title:t,rows:s})=>h`<section><h3>${t}</h3><dl>${s.map(([r,o])=>h`<dt>${r.
split(" ").map(a=>a==="\u2026"?a:h`<kbd>${a}</kbd>`)}</dt><dd>${o}</dd>`)}</dl></section>`)}</div>
    </dialog>`}};Gt=u([x("pt-help")],Gt);var tn=12,ue=class extends E{constructor(){super(...arguments);this.asked=null;this.family=!1;this.failure="";this.isWorking=!1;this.key="";this.focusedBefore=null;
this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}async ask(e){let t=this.querySelector("dialog");if(!t||t.open)return;this.focusedBefore=
document.activeElement;let s=await this.source.deletion(e);Object.assign(this,{key:e,asked:s,family:!1,failure:s.refused??"",isWorking:!1}),await this.updateComplete,
t.showModal(),this.querySelector("[data-cancel]")?.focus()}isTaking(e){return this.isWorking&&this.key===e}close(){this.querySelector("dialog")?.close()}async carryOut(){
if(!this.isWorking){this.isWorking=!0;try{let e=await this.source.remove(this.key,this.family);this.close(),H(Ur(e)),this.dispatchEvent(new CustomEvent("deleted",
{detail:this.key}))}catch(e){this.failure=q(e)}finally{this.isWorking=!1}}}forks(e){if(e.forkCount===0&&e.records===0)return m;let t=e.forkCount-Math.min(e.forks.
length,tn),s=e.forkCount===1?"fork":k(e.forkCount,"fork"),r=e.records===1?"record of a sub-agent":k(e.records,"record of a sub-agent","records of sub-agents"),o=[
e.forkCount>0?s:"",e.records>0?r:""].filter(Boolean).join(" and ");return h`<label class="check"><input type="checkbox" .checked=${this.family} @change=${a=>this.
family=a.target.checked}> Delete its ${o} too</label>
      ${e.forkCount>0?h`<ul class="forks">${e.forks.slice(0,tn).map(({title:a})=>h`<li>${T(a,90)}</li>`)}${t>0?h`<li>and ${k(t,"more fork")}</li>`:m}</ul>
        <p class="muted">${this.family?"":e.forkCount===1?"Leave this unchecked to keep the fork.":"Leave this unchecked to keep the forks."}</p>`:m}`}render(){
let{asked:e}=this;return h`<dialog class="question" aria-labelledby="delete-title" @close=${this.closed}>
      <h2 id="delete-title">Delete this session?</h2>
      ${e?h`<p class="question-what">${T(e.title,160)}</p>
        <p>It will be moved to the trash.</p>
        ${this.forks(e)}`:m}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:m}
      <div class="question-buttons"><button data-cancel @click=${()=>this.close()}>Cancel</button>
        <button class="is-dangerous" ?disabled=${this.isWorking||!!e?.refused} @click=${()=>{this.carryOut()}}>Delete</button></div>
    </dialog>`}};u([b({attribute:!1})],ue.prototype,"source",2),u([g()],ue.prototype,"asked",2),u([g()],ue.prototype,"family",2),u([g()],ue.prototype,"failure",
2),u([g()],ue.prototype,"isWorking",2),ue=u([x("pt-delete")],ue);function Ur({sessions:n,canRestore:i}){let e=n===1?"Session moved to the trash":`${k(n,"session")}\
 moved to the trash`;return i?`${e}; \`pitree restore\` brings ${n===1?"it":"them"} back`:e}function jr(n){let i=document.getElementById(n);if(!i)throw new U("A part of this file is missing.","It may have been cut off while it was copied; export it aga\
in.");let e=atob((i.textContent??"").trim()),t=new Uint8Array(e.length);for(let s=0;s<e.length;s+=1)t[s]=e.charCodeAt(s);return t}async function Xt(n){let i=new Blob(
[jr(n)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));try{return await new Response(i).json()}catch{throw new U("A part of this file is damaged.",
"Export it again.")}}var Yt=class{constructor(i,e){this.held=new Map;this.name=i,this.limit=e}get(i){let e=this.held.get(i)??Xt(this.name(i));this.held.delete(i),
this.held.set(i,e);for(let t of this.held.keys()){if(this.held.size<=this.limit)break;this.held.delete(t)}return e}};var _s="pitree-index",Wr="pitree-requests",Kr=24,Vr=5e3,Qt=1,sn=2,nn=4,Gr=8,Yr=16,As=class{constructor(i){this.lastPath=null;this.drawn=null;this.depths=new Map;
this.children=new Map;this.requests=null;this.index=i,this.labels=new Map(i.light.labels),this.blocks=new Yt(e=>`pitree-rows-${e}`,Kr),i.light.parents.forEach((e,t)=>{
let s=this.children.get(e);s?s.push(t):this.children.set(e,[t])})}passes(i,e){let t=this.index.light.flags[i]??0;switch(e){case"all":return!0;case"user":return(t&
Yr)!==0;case"labeled":return this.labels.has(i);case"no-tools":return(t&(nn|Gr))===0;case"default":return(t&nn)===0}}path(i,e){let t=[];for(let s=i??this.index.
session.leaf;s!=null;s=this.index.light.parents[s]??null)t.push(s);return Int32Array.from(t.reverse().filter(s=>this.passes(s,e)))}leafOf(i){if(i>=this.index.light.
ids.length)return null;if(((this.index.light.flags[i]??0)&Qt)!==0)return this.index.session.leaf;let e=i;for(let t=this.children.get(e);t;t=this.children.get(e))
e=t.at(-1)??e;return e}async row(i,e){let{light:t,blockRows:s,kinds:r}=this.index,o=t.flags[i]??0,a={at:i,parent:t.parents[i]??null,id:t.ids[i]??"",kind:r[t.kinds[i]??
0]??"",label:this.labels.get(i)??null,isError:(o&sn)!==0,summary:t.summaries[i]??""};if(e)return ze(a);let c=(await this.blocks.get(Math.floor(i/s)))[i%s];if(!c)
throw new U("An entry of this file is missing.","Export it again.");return ze({...c,...a})}order(){if(this.drawn)return this.drawn;let i=this.index.light.flags,
e=[],t=[...this.children.get(null)??[]].reverse().map(s=>[s,0]);for(let s=t.pop();s;s=t.pop()){let[r,o]=s;e.push(r),this.depths.set(r,o);let a=[...this.children.
get(r)??[]].sort((l,c)=>((i[c]??0)&Qt)-((i[l]??0)&Qt)||l-c);for(let l of a.reverse())t.push([l,o+(a.length>1?1:0)])}return this.drawn=Int32Array.from(e),this.drawn}treeRows(i){
return[...this.order()].filter(e=>this.passes(e,i))}treeRow(i){let{light:e,kinds:t,session:s}=this.index,r=e.flags[i]??0;return{at:i,id:e.ids[i]??"",depth:this.
depths.get(i)??0,kind:t[e.kinds[i]??0]??"",text:e.summaries[i]??"",label:this.labels.get(i)??null,active:(r&Qt)!==0,isLeaf:i===s.leaf,isError:(r&sn)!==0,children:this.
children.get(i)?.length??0}}async request(i){(this.index.requests?.shown??0)>0&&(this.requests??=Xt(Wr));let e=(await this.requests)?.find(t=>t.at===i);if(!e)throw new U(
"The request for this reply is not in this file.",rn(this.index));return e}part({leaf:i,filter:e,from:t,count:s,brief:r=!1}){let o=`${i} ${e}`;return this.lastPath?.
name!==o&&(this.lastPath={name:o,path:this.path(i,e)}),Promise.all([...this.lastPath.path.subarray(t,t+s)].map(a=>this.row(a,r)))}async find(i){let e=ct(i),t=[],
s=0;for(let r=0;e.length>0&&r<this.index.light.ids.length;r+=1){let o=Xr((await this.row(r,!1)).body),a=o.toLowerCase();if(!e.every(p=>a.includes(p)))continue;let[
l=""]=e,c=a.indexOf(l);s+=1;let d=Math.max(0,c-40);t.length<Vr&&t.push({at:r,snippet:{text:o.slice(d,c+120),marks:[[c-d,c-d+l.length]]}})}return{total:s,isAll:t.
length===s,hits:t}}};function Xr(n){let i="",e=[...n].reverse();for(;e.length>0;){let t=e.pop();if(typeof t=="string")i+=t;else if(Array.isArray(t)){i+=i&&!i.endsWith(
" ")&&t[0]!=="span"&&t[0]!=="code"?" ":"";for(let s of t.slice(1).reverse())(typeof s=="string"||Array.isArray(s))&&e.push(s)}}return i}var Qr=new U("This page \
is a file, so there is no server to ask.","Run `pitree serve` for that.");function rn({requests:n}){if(!n)return"";let{shown:i,replies:e}=n;return i===0?"This f\
ile has no requests: the context is too long for it. `pitree serve` shows them.":i===e?"This file has the request behind each reply of the current branch.":`Thi\
s file has the requests behind the last ${f(i)} of ${f(e)} replies of the current branch; \`pitree serve\` shows them all.`}function Zr(n){let i=new Set(["","la\
nes","tree"]);return n.context&&i.add("context"),n.requests&&i.add("request"),n.session.family.length>1&&i.add("family"),i}async function on(){let n=await Xt(_s);
if(n.format!==1)throw new U("This file is in a format that this page cannot read.","Export it again.");let i=new As(n),e=()=>Promise.reject(Qr);return{hasList:!1,
onlyKey:n.session.key,tabs:Zr(n),canEdit:!1,sessions:()=>Promise.resolve({total:0,offset:0,isGuess:!1,rows:[]}),projects:()=>Promise.resolve([]),session:()=>Promise.
resolve(n.session),lanes:(t,s,r)=>Promise.resolve(n.session.lanes.slice(s,s+r)),family:()=>Promise.resolve(n.session.family),marks:()=>Promise.resolve(n.marks),
path:(t,s,r)=>Promise.resolve(i.path(s,r)),rows:(t,s)=>i.part(s),tree:(t,{from:s=0,count:r,filter:o,at:a})=>{let l=i.treeRows(o),c=a===void 0?s:Math.max(0,l.indexOf(
a)-Math.floor(r/2));return Promise.resolve({total:l.length,from:c,rows:l.slice(c,c+r).map(d=>i.treeRow(d))})},find:(t,s)=>i.find(s),context:()=>n.context?Promise.
resolve(n.context):e(),requestsHere:rn(n),request:(t,s)=>i.request(s),spend:e,stats:e,listen:()=>()=>{},rename:e,label:e,goTo:e,deletion:e,remove:e,leafOf:(t,s)=>Promise.
resolve(i.leafOf(s)),entry:(t,s)=>i.row(s,!1),resolve:(t,s)=>Promise.resolve(n.light.ids.indexOf(s))}}function Jr(n,i={}){let e=new URLSearchParams;for(let[s,r]of Object.entries(i))r!=null&&r!==""&&r!==!1&&e.set(s,String(r));let t=e.toString();return t?`api/${n}\
?${t}`:`api/${n}`}async function an(n){let i=await n.json().catch(()=>null);if(n.ok&&i!==null)return i;let e=i;throw new U(e?.error??`The server answered ${n.status}\
.`,e?.hint??null)}async function D(n,i){let e;try{e=await fetch(Jr(n,i))}catch{throw new U("The server does not answer.","Is `pitree serve` still running?")}return an(
e)}async function Zt(n,i){return an(await fetch(`api/${n}`,{method:"POST",headers:{"Content-Type":"application/json","X-Pitree":"1"},body:JSON.stringify(i)}))}var eo=5e3,
to=1e4,so=18e4;function io(n){let i,e=0,t=!1,s=Date.now(),r=()=>{i=new EventSource("api/events"),i.onopen=()=>{t&&n({changed:[],list:!0,all:!0}),t=!1},i.onmessage=
l=>{let{changed:c=[],list:d=!1,all:p=!1}=JSON.parse(String(l.data));n({changed:c,list:d,all:p})},i.onerror=()=>{t=!0,i.readyState===EventSource.CLOSED&&(e=window.
setTimeout(r,eo))}},o=()=>{clearTimeout(e),i.close()},a=setInterval(()=>{let l=Date.now()-s;s=Date.now(),!(l<so)&&(t=!0,o(),r())},to);return r(),()=>{clearInterval(
a),o()}}function ln(){let n=!1,i=(e,t)=>`sessions/${encodeURIComponent(e)}${t}`;return{hasList:!0,onlyKey:"",tabs:new Set(oe.map(({tab:e})=>e)),get canEdit(){return n},
sessions:async e=>{let t=await D("sessions",{...e});return t.canEdit!==void 0&&(n=t.canEdit),t},projects:async()=>(await D("projects")).projects,session:async e=>{
let t=await D(i(e,""));return t.canEdit!==void 0&&(n=t.canEdit),t},lanes:async(e,t,s)=>(await D(i(e,"/lanes"),{from:t,count:s})).lanes,family:async e=>(await D(
i(e,"/family"))).members,marks:async e=>(await D(i(e,"/marks"))).marks,path:async(e,t,s)=>{let r=await D(i(e,"/path"),{leaf:t,filter:s});return r.runs?Xs(r.runs):
Int32Array.from(r.ats??[])},rows:async(e,{leaf:t,filter:s,from:r,count:o,brief:a=!1})=>(await D(i(e,"/rows"),{leaf:t,filter:s,from:r,count:o,brief:a?1:null})).rows.
map(ze),tree:(e,{from:t,count:s,filter:r,at:o})=>D(i(e,"/tree"),{from:t,count:s,filter:r,at:o}),find:(e,t)=>D(i(e,"/find"),{q:t}),context:(e,t)=>D(i(e,"/context"),
{at:t}),requestsHere:"",request:(e,t,s)=>D(i(e,"/request"),{at:t,from:s}),spend:e=>D("spend",{...e}),stats:()=>D("stats"),listen:io,rename:(e,t)=>Zt(i(e,"/name"),
{name:t}),label:(e,t,s)=>Zt(i(e,"/label"),{at:t,label:s}),goTo:(e,t)=>Zt(i(e,"/goto"),{at:t}),deletion:e=>D(i(e,"/deletion")),remove:(e,t)=>Zt(i(e,"/delete"),{family:t}),
leafOf:async(e,t)=>(await D(i(e,"/locate"),{at:t})).leaf,resolve:async(e,t)=>{let s=/^line-(\d+)$/.exec(t);try{return(await D(i(e,"/locate"),s?{line:s[1]}:{id:t})).
at}catch{return-1}},entry:async(e,t)=>ze(await D(i(e,"/entry"),{at:t}))}}async function hn(){return document.getElementById(_s)?on():ln()}var Jt=["auto","light","dark"];function es(){return Jt.find(n=>n===zt("theme"))??"auto"}function cn(n){return Jt[(Jt.indexOf(n)+1)%Jt.length]??"auto"}function ts(n){
document.documentElement.dataset.theme=n,Ut("theme",n),window.dispatchEvent(new Event("theme"))}var no={sessions:"Sessions",session:"Session",spend:"Spend",stats:"Stats"},W=class extends E{constructor(){super(...arguments);this.source=null;this.failure="";
this.route=ot(location.hash);this.listVersion=0;this.message="";this.theme=es();this.messageTimer=0;this.routed=()=>{let e=ot(location.hash);this.source&&!this.
source.hasList&&Object.assign(e,{view:"session",key:this.source.onlyKey});let t=e.view!==this.route.view||e.key!==this.route.key;this.route=e,document.title=e.view===
"session"?document.title:`${no[e.view]} \xB7 pitree`,t&&this.updateComplete.then(()=>this.querySelector("main")?.focus({preventScroll:!0}))};this.clicked=e=>{let s=e.
target.closest("a")?.getAttribute("href");!s?.startsWith("#")||e.defaultPrevented||e.button!==0||e.ctrlKey||e.metaKey||e.shiftKey||(e.preventDefault(),s!==location.
hash&&history.pushState(null,"",s),this.routed())};this.toasted=e=>{this.message=e.detail,clearTimeout(this.messageTimer),this.messageTimer=window.setTimeout(()=>this.
message="",2600)};this.askedDelete=e=>w(this.deleting.ask(e.detail));this.pressed=e=>{if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k")this.palette.open();else if(e.
key==="?"&&!Fe(e)&&!e.ctrlKey&&!e.metaKey)this.help.toggle();else if(e.key==="Escape"&&Fe(e)&&!e.target.closest("dialog"))e.target.blur();else return;e.preventDefault()};
this.deleted=e=>{this.listVersion+=1,this.route.view==="session"&&this.route.key===e.detail&&P(R("sessions"),!0)};this.commands=()=>{let e=this.session;return[{
name:"Show all keys",note:"?",run:()=>this.help.toggle()},{name:"Switch between light and dark",note:this.theme,run:()=>this.switchTheme()},...this.route.view===
"session"&&e?[{name:"Show or hide the tree",note:"",run:()=>e.toggleTree()},{name:"Fold or unfold all messages",note:"O",run:()=>e.conversation?.foldAll(!e.conversation.
isAllFolded)},{name:"Print this branch",note:"",run:()=>e.print()},{name:"Print from this message on",note:"",run:()=>e.printFromHere()}]:[],...this.route.view===
"session"&&e?.canEdit?[{name:"Rename this session\u2026",note:"",run:()=>e.rename()},{name:"Save the position at this message",note:"",run:()=>e.savePosition()},
{name:"Delete this session\u2026",note:"",run:()=>w(this.deleting.ask(this.route.key))}]:[]]};this.skip=e=>{e.preventDefault(),e.stopPropagation(),this.querySelector(
"main")?.focus()}}connectedCallback(){super.connectedCallback();for(let e of["popstate","hashchange","route"])window.addEventListener(e,this.routed);window.addEventListener(
"toast",this.toasted),window.addEventListener("ask-delete",this.askedDelete),window.addEventListener("keydown",this.pressed),document.addEventListener("click",this.
clicked),hn().then(e=>this.begin(e),e=>this.failure=q(e))}begin(e){this.source=e,e.listen(t=>this.changed(t)),this.routed()}changed(e){(e.all||e.list||e.changed.
length>0)&&(this.listVersion+=1),!this.deleting?.isTaking(this.route.key)&&this.session?.liveChange(e).catch(()=>{})}switchTheme(){this.theme=cn(this.theme),ts(
this.theme)}bar(e){let t=s=>this.route.view===s?"page":m;return h`<header class="bar-top">
      <a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      ${e.hasList?h`<a class="brand" href=${R("sessions")}>pitree</a><nav aria-label="Main">
        <a href=${R("sessions")} aria-current=${t("sessions")}>Sessions</a><a href=${R("spend")} aria-current=${t("spend")}>Spend</a><a href=${R("stats")} aria-current=${t(
"stats")}>Stats</a></nav>`:h`<span class="brand">pitree</span>`}
      <span class="spacer"></span>
      <button class="go-to" @click=${()=>this.palette.open()}><span>Go to…</span><kbd>Ctrl K</kbd></button>
      <button class="quiet" title="Light, dark, or as the system" @click=${()=>this.switchTheme()}>${this.theme==="auto"?"Auto":this.theme==="dark"?"Dark":"Ligh\
t"}<span class="hidden"> colors</span></button>
      <button class="quiet" title="Keys (?)" aria-label="Keys" @click=${()=>this.help.toggle()}>?</button>
    </header>`}view(e){switch(this.route.view){case"session":return h`<pt-session .source=${e} .route=${this.route}></pt-session>`;case"spend":return h`<pt-spend .source=${e} .route=${this.
route} .version=${this.listVersion}></pt-spend>`;case"stats":return h`<pt-stats .source=${e} .version=${this.listVersion}></pt-stats>`;default:return h`<pt-sessions .source=${e} .route=${this.
route} .version=${this.listVersion}></pt-sessions>`}}render(){let e=this.source;return e?h`${this.bar(e)}${this.view(e)}
      <pt-palette .source=${e} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <pt-delete .source=${e} @deleted=${this.deleted}></pt-delete>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message?"toast is-shown":"toast"} role="status">${this.message}</div>`:h`<main class="page-message"><p>${this.failure||"Loading\u2026"}</p></main>`}};
u([g()],W.prototype,"source",2),u([g()],W.prototype,"failure",2),u([g()],W.prototype,"route",2),u([g()],W.prototype,"listVersion",2),u([g()],W.prototype,"messag\
e",2),u([g()],W.prototype,"theme",2),u([me("pt-palette")],W.prototype,"palette",2),u([me("pt-help")],W.prototype,"help",2),u([me("pt-delete")],W.prototype,"dele\
ting",2),u([me("pt-session")],W.prototype,"session",2),W=u([x("pt-app")],W);ts(es());
