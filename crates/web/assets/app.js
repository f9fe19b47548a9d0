var tn=Object.defineProperty;var en=Object.getOwnPropertyDescriptor;var u=(n,i,t,e)=>{for(var s=e>1?void 0:e?en(i,t):i,r=n.length-1,o;r>=0;r--)(o=n[r])&&(s=(e?o(i,t,s):o(s))||s);return e&&s&&tn(i,t,s),s};/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var pe=globalThis,fe=pe.ShadowRoot&&(pe.ShadyCSS===void 0||pe.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,
ks=Symbol(),xs=new WeakMap,me=class{constructor(i,t,e){if(this._$cssResult$=!0,e!==ks)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` inst\
ead.");this.cssText=i,this.t=t}get styleSheet(){let i=this.o,t=this.t;if(fe&&i===void 0){let e=t!==void 0&&t.length===1;e&&(i=xs.get(t)),i===void 0&&((this.o=i=
new CSSStyleSheet).replaceSync(this.cssText),e&&xs.set(t,i))}return i}toString(){return this.cssText}},Es=n=>new me(typeof n=="string"?n:n+"",void 0,ks);var Ts=(n,i)=>{if(fe)n.adoptedStyleSheets=i.map(t=>t instanceof CSSStyleSheet?t:t.styleSheet);else for(let t of i){let e=document.createElement("style"),s=pe.litNonce;
s!==void 0&&e.setAttribute("nonce",s),e.textContent=t.cssText,n.appendChild(e)}},We=fe?n=>n:n=>n instanceof CSSStyleSheet?(i=>{let t="";for(let e of i.cssRules)
t+=e.cssText;return Es(t)})(n):n;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:sn,defineProperty:nn,getOwnPropertyDescriptor:rn,getOwnPropertyNames:on,getOwnPropertySymbols:an,getPrototypeOf:ln}=Object,ge=globalThis,As=ge.trustedTypes,
hn=As?As.emptyScript:"",cn=ge.reactiveElementPolyfillSupport,Qt=(n,i)=>n,Zt={toAttribute(n,i){switch(i){case Boolean:n=n?hn:null;break;case Object:case Array:n=
n==null?n:JSON.stringify(n)}return n},fromAttribute(n,i){let t=n;switch(i){case Boolean:t=n!==null;break;case Number:t=n===null?null:Number(n);break;case Object:case Array:
try{t=JSON.parse(n)}catch{t=null}}return t}},ye=(n,i)=>!sn(n,i),_s={attribute:!0,type:String,converter:Zt,reflect:!1,useDefault:!1,hasChanged:ye};Symbol.metadata??=
Symbol("metadata"),ge.litPropertyMetadata??=new WeakMap;var it=class extends HTMLElement{static addInitializer(i){this._$Ei(),(this.l??=[]).push(i)}static get observedAttributes(){
return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(i,t=_s){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(i)&&
((t=Object.create(t)).wrapped=!0),this.elementProperties.set(i,t),!t.noAccessor){let e=Symbol(),s=this.getPropertyDescriptor(i,e,t);s!==void 0&&nn(this.prototype,
i,s)}}static getPropertyDescriptor(i,t,e){let{get:s,set:r}=rn(this.prototype,i)??{get(){return this[t]},set(o){this[t]=o}};return{get:s,set(o){let a=s?.call(this);
r?.call(this,o),this.requestUpdate(i,a,e)},configurable:!0,enumerable:!0}}static getPropertyOptions(i){return this.elementProperties.get(i)??_s}static _$Ei(){if(this.
hasOwnProperty(Qt("elementProperties")))return;let i=ln(this);i.finalize(),i.l!==void 0&&(this.l=[...i.l]),this.elementProperties=new Map(i.elementProperties)}static finalize(){
if(this.hasOwnProperty(Qt("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Qt("properties"))){let t=this.properties,e=[...on(t),...an(t)];
for(let s of e)this.createProperty(s,t[s])}let i=this[Symbol.metadata];if(i!==null){let t=litPropertyMetadata.get(i);if(t!==void 0)for(let[e,s]of t)this.elementProperties.
set(e,s)}this._$Eh=new Map;for(let[t,e]of this.elementProperties){let s=this._$Eu(t,e);s!==void 0&&this._$Eh.set(s,t)}this.elementStyles=this.finalizeStyles(this.
styles)}static finalizeStyles(i){let t=[];if(Array.isArray(i)){let e=new Set(i.flat(1/0).reverse());for(let s of e)t.unshift(We(s))}else i!==void 0&&t.push(We(i));
return t}static _$Eu(i,t){let e=t.attribute;return e===!1?void 0:typeof e=="string"?e:typeof i=="string"?i.toLowerCase():void 0}constructor(){super(),this._$Ep=
void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(i=>this.enableUpdating=i),this._$AL=new Map,this._$E_(),
this.requestUpdate(),this.constructor.l?.forEach(i=>i(this))}addController(i){(this._$EO??=new Set).add(i),this.renderRoot!==void 0&&this.isConnected&&i.hostConnected?.()}removeController(i){
this._$EO?.delete(i)}_$E_(){let i=new Map,t=this.constructor.elementProperties;for(let e of t.keys())this.hasOwnProperty(e)&&(i.set(e,this[e]),delete this[e]);i.
size>0&&(this._$Ep=i)}createRenderRoot(){let i=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Ts(i,this.constructor.elementStyles),
i}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(i=>i.hostConnected?.())}enableUpdating(i){}disconnectedCallback(){
this._$EO?.forEach(i=>i.hostDisconnected?.())}attributeChangedCallback(i,t,e){this._$AK(i,e)}_$ET(i,t){let e=this.constructor.elementProperties.get(i),s=this.constructor.
_$Eu(i,e);if(s!==void 0&&e.reflect===!0){let r=(e.converter?.toAttribute!==void 0?e.converter:Zt).toAttribute(t,e.type);this._$Em=i,r==null?this.removeAttribute(
s):this.setAttribute(s,r),this._$Em=null}}_$AK(i,t){let e=this.constructor,s=e._$Eh.get(i);if(s!==void 0&&this._$Em!==s){let r=e.getPropertyOptions(s),o=typeof r.
converter=="function"?{fromAttribute:r.converter}:r.converter?.fromAttribute!==void 0?r.converter:Zt;this._$Em=s;let a=o.fromAttribute(t,r.type);this[s]=a??this.
_$Ej?.get(s)??a,this._$Em=null}}requestUpdate(i,t,e,s=!1,r){if(i!==void 0){let o=this.constructor;if(s===!1&&(r=this[i]),e??=o.getPropertyOptions(i),!((e.hasChanged??
ye)(r,t)||e.useDefault&&e.reflect&&r===this._$Ej?.get(i)&&!this.hasAttribute(o._$Eu(i,e))))return;this.C(i,t,e)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(i,t,{
useDefault:e,reflect:s,wrapped:r},o){e&&!(this._$Ej??=new Map).has(i)&&(this._$Ej.set(i,o??t??this[i]),r!==!0||o!==void 0)||(this._$AL.has(i)||(this.hasUpdated||
e||(t=void 0),this._$AL.set(i,t)),s===!0&&this._$Em!==i&&(this._$Eq??=new Set).add(i))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(t){Promise.
reject(t)}let i=this.scheduleUpdate();return i!=null&&await i,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)
return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[s,r]of this._$Ep)this[s]=r;this._$Ep=void 0}let e=this.constructor.elementProperties;
if(e.size>0)for(let[s,r]of e){let{wrapped:o}=r,a=this[s];o!==!0||this._$AL.has(s)||a===void 0||this.C(s,void 0,r,a)}}let i=!1,t=this._$AL;try{i=this.shouldUpdate(
t),i?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(e){throw i=!1,this._$EM(),e}i&&this._$AE(t)}willUpdate(i){}_$AE(i){
this._$EO?.forEach(t=>t.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(i)),this.updated(i)}_$EM(){this._$AL=new Map,this.isUpdatePending=
!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(i){return!0}update(i){this._$Eq&&=this._$Eq.forEach(t=>this.
_$ET(t,this[t])),this._$EM()}updated(i){}firstUpdated(i){}};it.elementStyles=[],it.shadowRootOptions={mode:"open"},it[Qt("elementProperties")]=new Map,it[Qt("fi\
nalized")]=new Map,cn?.({ReactiveElement:it}),(ge.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Ge=globalThis,Ms=n=>n,ve=Ge.trustedTypes,Rs=ve?ve.createPolicy("lit-html",{createHTML:n=>n}):void 0,Ye="$lit$",nt=`lit$${Math.random().toFixed(9).slice(2)}\
$`,Xe="?"+nt,un=`<${Xe}>`,wt=document,te=()=>wt.createComment(""),ee=n=>n===null||typeof n!="object"&&typeof n!="function",Qe=Array.isArray,Fs=n=>Qe(n)||typeof n?.[Symbol.
iterator]=="function",Ve=`[ 	
\f\r]`,Jt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Cs=/-->/g,Os=/>/g,bt=RegExp(`>|${Ve}(?:([^\\s"'>=/]+)(${Ve}*=${Ve}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Ps=/'/g,Ls=/"/g,Hs=/^(?:script|style|textarea|title)$/i,Ze=n=>(i,...t)=>({_$litType$:n,strings:i,values:t}),h=Ze(1),I=Ze(2),jr=Ze(
3),j=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),Is=new WeakMap,$t=wt.createTreeWalker(wt,129);function qs(n,i){if(!Qe(n)||!n.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return Rs!==void 0?Rs.createHTML(i):i}var Ns=(n,i)=>{let t=n.length-1,e=[],s,r=i===2?"<svg>":i===3?"<math>":"",o=Jt;for(let a=0;a<
t;a++){let l=n[a],c,p,d=-1,g=0;for(;g<l.length&&(o.lastIndex=g,p=o.exec(l),p!==null);)g=o.lastIndex,o===Jt?p[1]==="!--"?o=Cs:p[1]!==void 0?o=Os:p[2]!==void 0?(Hs.
test(p[2])&&(s=RegExp("</"+p[2],"g")),o=bt):p[3]!==void 0&&(o=bt):o===bt?p[0]===">"?(o=s??Jt,d=-1):p[1]===void 0?d=-2:(d=o.lastIndex-p[2].length,c=p[1],o=p[3]===
void 0?bt:p[3]==='"'?Ls:Ps):o===Ls||o===Ps?o=bt:o===Cs||o===Os?o=Jt:(o=bt,s=void 0);let f=o===bt&&n[a+1].startsWith("/>")?" ":"";r+=o===Jt?l+un:d>=0?(e.push(c),
l.slice(0,d)+Ye+l.slice(d)+nt+f):l+nt+(d===-2?a:f)}return[qs(n,r+(n[t]||"<?>")+(i===2?"</svg>":i===3?"</math>":"")),e]},se=class n{constructor({strings:i,_$litType$:t},e){
let s;this.parts=[];let r=0,o=0,a=i.length-1,l=this.parts,[c,p]=Ns(i,t);if(this.el=n.createElement(c,e),$t.currentNode=this.el.content,t===2||t===3){let d=this.
el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(s=$t.nextNode())!==null&&l.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let d of s.getAttributeNames())
if(d.endsWith(Ye)){let g=p[o++],f=s.getAttribute(d).split(nt),v=/([.?@])?(.*)/.exec(g);l.push({type:1,index:r,name:v[2],strings:f,ctor:v[1]==="."?$e:v[1]==="?"?
we:v[1]==="@"?Se:xt}),s.removeAttribute(d)}else d.startsWith(nt)&&(l.push({type:6,index:r}),s.removeAttribute(d));if(Hs.test(s.tagName)){let d=s.textContent.split(
nt),g=d.length-1;if(g>0){s.textContent=ve?ve.emptyScript:"";for(let f=0;f<g;f++)s.append(d[f],te()),$t.nextNode(),l.push({type:2,index:++r});s.append(d[g],te())}}}else if(s.
nodeType===8)if(s.data===Xe)l.push({type:2,index:r});else{let d=-1;for(;(d=s.data.indexOf(nt,d+1))!==-1;)l.push({type:7,index:r}),d+=nt.length-1}r++}}static createElement(i,t){
let e=wt.createElement("template");return e.innerHTML=i,e}};function St(n,i,t=n,e){if(i===j)return i;let s=e!==void 0?t._$Co?.[e]:t._$Cl,r=ee(i)?void 0:i._$litDirective$;
return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(n),s._$AT(n,t,e)),e!==void 0?(t._$Co??=[])[e]=s:t._$Cl=s),s!==void 0&&(i=St(n,s._$AS(n,i.
values),s,e)),i}var be=class{constructor(i,t){this._$AV=[],this._$AN=void 0,this._$AD=i,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(i){let{el:{content:t},parts:e}=this._$AD,s=(i?.creationScope??wt).importNode(t,!0);$t.currentNode=s;let r=$t.nextNode(),o=0,a=0,l=e[0];for(;l!==void 0;){
if(o===l.index){let c;l.type===2?c=new Ht(r,r.nextSibling,this,i):l.type===1?c=new l.ctor(r,l.name,l.strings,this,i):l.type===6&&(c=new xe(r,this,i)),this._$AV.
push(c),l=e[++a]}o!==l?.index&&(r=$t.nextNode(),o++)}return $t.currentNode=wt,s}p(i){let t=0;for(let e of this._$AV)e!==void 0&&(e.strings!==void 0?(e._$AI(i,e,
t),t+=e.strings.length-2):e._$AI(i[t])),t++}},Ht=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(i,t,e,s){this.type=2,this._$AH=m,this._$AN=void 0,
this._$AA=i,this._$AB=t,this._$AM=e,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let i=this._$AA.parentNode,t=this._$AM;return t!==void 0&&i?.nodeType===
11&&(i=t.parentNode),i}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(i,t=this){i=St(this,i,t),ee(i)?i===m||i==null||i===""?(this._$AH!==m&&
this._$AR(),this._$AH=m):i!==this._$AH&&i!==j&&this._(i):i._$litType$!==void 0?this.$(i):i.nodeType!==void 0?this.T(i):Fs(i)?this.k(i):this._(i)}O(i){return this.
_$AA.parentNode.insertBefore(i,this._$AB)}T(i){this._$AH!==i&&(this._$AR(),this._$AH=this.O(i))}_(i){this._$AH!==m&&ee(this._$AH)?this._$AA.nextSibling.data=i:this.
T(wt.createTextNode(i)),this._$AH=i}$(i){let{values:t,_$litType$:e}=i,s=typeof e=="number"?this._$AC(i):(e.el===void 0&&(e.el=se.createElement(qs(e.h,e.h[0]),this.
options)),e);if(this._$AH?._$AD===s)this._$AH.p(t);else{let r=new be(s,this),o=r.u(this.options);r.p(t),this.T(o),this._$AH=r}}_$AC(i){let t=Is.get(i.strings);return t===
void 0&&Is.set(i.strings,t=new se(i)),t}k(i){Qe(this._$AH)||(this._$AH=[],this._$AR());let t=this._$AH,e,s=0;for(let r of i)s===t.length?t.push(e=new n(this.O(te()),
this.O(te()),this,this.options)):e=t[s],e._$AI(r),s++;s<t.length&&(this._$AR(e&&e._$AB.nextSibling,s),t.length=s)}_$AR(i=this._$AA.nextSibling,t){for(this._$AP?.(
!1,!0,t);i!==this._$AB;){let e=Ms(i).nextSibling;Ms(i).remove(),i=e}}setConnected(i){this._$AM===void 0&&(this._$Cv=i,this._$AP?.(i))}},xt=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(i,t,e,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=i,this.name=t,this._$AM=s,this.options=
r,e.length>2||e[0]!==""||e[1]!==""?(this._$AH=Array(e.length-1).fill(new String),this.strings=e):this._$AH=m}_$AI(i,t=this,e,s){let r=this.strings,o=!1;if(r===void 0)
i=St(this,i,t,0),o=!ee(i)||i!==this._$AH&&i!==j,o&&(this._$AH=i);else{let a=i,l,c;for(i=r[0],l=0;l<r.length-1;l++)c=St(this,a[e+l],t,l),c===j&&(c=this._$AH[l]),
o||=!ee(c)||c!==this._$AH[l],c===m?i=m:i!==m&&(i+=(c??"")+r[l+1]),this._$AH[l]=c}o&&!s&&this.j(i)}j(i){i===m?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,i??"")}},$e=class extends xt{constructor(){super(...arguments),this.type=3}j(i){this.element[this.name]=i===m?void 0:i}},we=class extends xt{constructor(){
super(...arguments),this.type=4}j(i){this.element.toggleAttribute(this.name,!!i&&i!==m)}},Se=class extends xt{constructor(i,t,e,s,r){super(i,t,e,s,r),this.type=
5}_$AI(i,t=this){if((i=St(this,i,t,0)??m)===j)return;let e=this._$AH,s=i===m&&e!==m||i.capture!==e.capture||i.once!==e.once||i.passive!==e.passive,r=i!==m&&(e===
m||s);s&&this.element.removeEventListener(this.name,this,e),r&&this.element.addEventListener(this.name,this,i),this._$AH=i}handleEvent(i){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,i):this._$AH.handleEvent(i)}},xe=class{constructor(i,t,e){this.element=i,this.type=6,this._$AN=void 0,this.
_$AM=t,this.options=e}get _$AU(){return this._$AM._$AU}_$AI(i){St(this,i)}},Ds={M:Ye,P:nt,A:Xe,C:1,L:Ns,R:be,D:Fs,V:St,I:Ht,H:xt,N:we,U:Se,B:$e,F:xe},dn=Ge.litHtmlPolyfillSupport;
dn?.(se,Ht),(Ge.litHtmlVersions??=[]).push("3.3.3");var Bs=(n,i,t)=>{let e=t?.renderBefore??i,s=e._$litPart$;if(s===void 0){let r=t?.renderBefore??null;e._$litPart$=
s=new Ht(i.insertBefore(te(),r),r,void 0,t??{})}return s._$AI(n),s};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Je=globalThis,ct=class extends it{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let i=super.createRenderRoot();
return this.renderOptions.renderBefore??=i.firstChild,i}update(i){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(
i),this._$Do=Bs(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),
this._$Do?.setConnected(!1)}render(){return j}};ct._$litElement$=!0,ct.finalized=!0,Je.litElementHydrateSupport?.({LitElement:ct});var pn=Je.litElementPolyfillSupport;
pn?.({LitElement:ct});(Je.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var k=n=>(i,t)=>{t!==void 0?t.addInitializer(()=>{customElements.define(n,i)}):customElements.define(n,i)};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var mn={attribute:!0,type:String,converter:Zt,reflect:!1,hasChanged:ye},fn=(n=mn,i,t)=>{let{kind:e,metadata:s}=t,r=globalThis.litPropertyMetadata.get(s);if(r===
void 0&&globalThis.litPropertyMetadata.set(s,r=new Map),e==="setter"&&((n=Object.create(n)).wrapped=!0),r.set(t.name,n),e==="accessor"){let{name:o}=t;return{set(a){
let l=i.get.call(this);i.set.call(this,a),this.requestUpdate(o,l,n,!0,a)},init(a){return a!==void 0&&this.C(o,void 0,n,a),a}}}if(e==="setter"){let{name:o}=t;return function(a){
let l=this[o];i.call(this,a),this.requestUpdate(o,l,n,!0,a)}}throw Error("Unsupported decorator location: "+e)};function y(n){return(i,t)=>typeof t=="object"?fn(
n,i,t):((e,s,r)=>{let o=s.hasOwnProperty(r);return s.constructor.createProperty(r,e),o?Object.getOwnPropertyDescriptor(s,r):void 0})(n,i,t)}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function b(n){return y({...n,state:!0,attribute:!1})}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var kt=(n,i,t)=>(t.configurable=!0,t.enumerable=!0,Reflect.decorate&&typeof i!="object"&&Object.defineProperty(n,i,t),t);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function Et(n,i){return(t,e,s)=>{let r=o=>o.renderRoot?.querySelector(n)??null;if(i){let{get:o,set:a}=typeof e=="object"?t:s??(()=>{let l=Symbol();return{get(){
return this[l]},set(c){this[l]=c}}})();return kt(t,e,{get(){let l=o.call(this);return l===void 0&&(l=r(this),(l!==null||this.hasUpdated)&&a.call(this,l)),l}})}return kt(
t,e,{get(){return r(this)}})}}/**
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
 */var ke={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Ee=n=>(...i)=>({_$litDirective$:n,values:i}),qt=class{constructor(i){}get _$AU(){
return this._$AM._$AU}_$AT(i,t,e){this._$Ct=i,this._$AM=t,this._$Ci=e}_$AS(i,t){return this.update(i,t)}update(i,t){return this.render(...t)}};var ts=class extends qt{constructor(i){if(super(i),i.type!==ke.ATTRIBUTE||i.name!=="style")throw new Error("styles() belongs into `style`")}render(i){return j}update(i,[
t]){let{style:e}=i.element;for(let[s,r]of Object.entries(t))e.setProperty(s,r);return j}},P=Ee(ts);var B=class extends Error{constructor(i,t=null){super(i),this.hint=t}};function Nt(n){return(n.title??"").replace(/^user: /,"")||"Untitled branch"}function W(n){
return n instanceof B?n.hint?`${n.message} ${n.hint}`:n.message:n instanceof Error?n.message:String(n)}function zs(n){let i=n.reduce((s,[,r])=>s+r,0),t=new Int32Array(
i),e=0;for(let[s,r]of n)for(let o=0;o<r;o+=1)t[e++]=s+o;return t}function Dt(n){return{at:n.at??0,parent:n.parent??null,id:n.id??"",kind:n.kind??"note",who:n.who??
"",what:n.what??null,particulars:n.particulars??[],label:n.label??null,time:n.time??null,isError:!!n.isError,isFolded:!!n.isFolded,summary:n.summary??"",body:n.
body??[],calls:n.calls??[]}}var E=class extends ct{createRenderRoot(){return this}};function ut(n){let i=document.getElementById("announcer");i&&i.textContent!==n&&(i.textContent=n)}function N(n){
window.dispatchEvent(new CustomEvent("toast",{detail:n}))}function w(n){n.catch(i=>N(W(i)))}function rt(n,i){let t=0;return(...e)=>{clearTimeout(t),t=window.setTimeout(
()=>i(...e),n)}}async function dt(n){try{await navigator.clipboard.writeText(n)}catch{let i=document.createElement("textarea");i.value=n,document.body.append(i),
i.select(),document.execCommand("copy"),i.remove()}}var ot=[{tab:"",name:"Conversation",key:"1"},{tab:"lanes",name:"Lanes",key:"2"},{tab:"tree",name:"Graph",key:"3"},{tab:"family",name:"Family",key:"4"},{tab:"con\
text",name:"Context",key:"5"},{tab:"request",name:"Requests",key:"6"}];function es(n){let i=n.replace(/^#/,"");if(i!==""&&!i.startsWith("/"))return{view:"sessio\
n",key:"",tab:"",parameters:new URLSearchParams,entry:Us(i)};let[t="",e=""]=i.split(/\?(.*)/s),[s,r,o]=t.split("/").filter(Boolean).map(Us),a=new URLSearchParams(
e),l=ot.find(c=>c.tab===o)?.tab??"";return s==="session"&&r?{view:s,key:r,tab:l,parameters:a,entry:""}:s==="spend"||s==="stats"?{view:s,key:"",tab:"",parameters:a,
entry:""}:{view:"sessions",key:"",tab:"",parameters:a,entry:""}}function Us(n){try{return decodeURIComponent(n)}catch{return n}}function Ks(n,i){let t=new URLSearchParams;
for(let[s,r]of Object.entries(i))r!=null&&r!==""&&t.set(s,String(r));let e=t.toString();return e?`#/${n}?${e}`:`#/${n}`}function C(n,i={}){return Ks(n==="sessio\
ns"?"":n,i)}function A(n,i="",t={}){return Ks(`session/${encodeURIComponent(n)}${i?`/${i}`:""}`,t)}function Bt(n,i){let t=Object.fromEntries(n.parameters);return n.
view==="session"?A(n.key,n.tab,{...t,...i}):C(n.view,{...t,...i})}function L(n,i=!1){n===location.hash||n==="#/"&&location.hash===""||(i?history.replaceState(null,
"",n):history.pushState(null,"",n),window.dispatchEvent(new Event("route")))}var js=new Intl.NumberFormat("en-US"),gn=new Intl.NumberFormat("en-US",{notation:"compact",maximumFractionDigits:1}),Ws=new Intl.DateTimeFormat("en-US",{hour:"n\
umeric",minute:"2-digit"}),yn=new Intl.DateTimeFormat("en-US",{month:"short",day:"numeric"}),vn=new Intl.DateTimeFormat("en-US",{year:"numeric",month:"short",day:"\
numeric"}),bn=new Intl.DateTimeFormat("en-US",{dateStyle:"medium",timeStyle:"medium"}),$n=864e5;function S(n){return js.format(n)}function F(n){return n<1e3?js.
format(Math.round(n)):gn.format(n).toLowerCase()}function R(n,i,t=`${i}s`){return`${S(n)} ${n===1?i:t}`}function Tt(n){return n===null?"\u2013":n===0?"$0":n<.01?
"<$0.01":`$${n.toLocaleString("en-US",{minimumFractionDigits:2,maximumFractionDigits:2})}`}function pt(n){if(n===null)return"";let i=new Date(n),t=new Date;return i.
toDateString()===t.toDateString()?Ws.format(i):t.getTime()-n<300*$n?yn.format(i):vn.format(i)}function Vs(n){return n===null?"":Ws.format(new Date(n))}function At(n){
return n===null?"":bn.format(new Date(n))}function V(n,i=2){let t=n.split("/").filter(Boolean);return t.length<=i?n:t.slice(-i).join("/")}function _(n,i=160){let t=n.
replace(/\s+/g," ").trim();return t.length>i?`${t.slice(0,i-1)}\u2026`:t}var _t=1e3,at=240,wn=250,mt=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.selected=-1;this.loadedAs="";this.pressed=t=>{let e=Te(
this.facts?.turns??[]),r={ArrowLeft:-1,ArrowRight:1,PageUp:-10,PageDown:10,Home:-e.length,End:e.length}[t.key],o=e[this.selected]?.turn;if(t.key==="Enter"&&o)L(
this.link(o.at));else if(r!==void 0)this.selected=Math.max(0,Math.min(e.length-1,this.selected+r));else return;t.preventDefault(),t.stopPropagation()};this.pointed=
t=>{let e=t.currentTarget.getBoundingClientRect(),s=Te(this.facts?.turns??[]);this.selected=Math.max(0,Math.min(s.length-1,Math.floor((t.clientX-e.left)/e.width*
s.length)))}}willUpdate(t){let e=`${this.model.key} ${this.model.leaf}`;e===this.loadedAs||!this.model.facts||(this.loadedAs=e,w(this.load()))}async load(){let t=await this.
model.source.context(this.model.key,this.model.leaf);this.facts=t;let e=Te(t.turns),s=this.at===null?-1:e.findIndex(({turn:r})=>r.at>=(this.at??0));this.selected=
s>=0?s:e.length-1}link(t){return A(this.model.key,"",{leaf:this.model.leaf===this.model.facts?.leaf?null:this.model.leaf,e:t})}chart(t,e){let s=t.parts.map(({name:l})=>l),
r=Math.max(1,t.window&&t.total>t.window/3?t.window:0,...e.map(({turn:l})=>l.total)),o=e[this.selected],a=o?`Turn ${o.number}: ${S(o.turn.total)} tokens`:"";return h`<div class="chart-frame"><div class="chart-axis" aria-hidden="true"><span>${F(
r)}</span><span>${F(r/2)}</span><span>0</span></div>
      <svg class="context-chart" viewBox="0 0 ${_t} ${at}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by turn"
        aria-valuemin="1" aria-valuemax=${Math.max(1,e.length)} aria-valuenow=${this.selected+1} aria-valuetext=${a} @keydown=${this.pressed} @pointermove=${this.
pointed}
        @click=${()=>o&&L(this.link(o.turn.at))}>
        ${e.map((l,c)=>Sn(l,c,e.length,s,r))}
        ${e.map((l,c)=>l.compacts?I`<line class="compaction" x1=${c*_t/e.length} x2=${c*_t/e.length} y1="0" y2=${at}></line>`:m)}
        ${t.window&&t.window<=r?I`<line class="limit" x1="0" x2=${_t} y1=${at-t.window/r*at} y2=${at-t.window/r*at}></line>`:m}
        ${o?I`<rect class="selected" x=${this.selected*_t/e.length} width=${_t/e.length} y="0" height=${at}></rect>`:m}
      </svg></div>
      ${o?this.readout(o,s):m}`}readout({turn:t,number:e,compacts:s},r){return h`<p class="readout"><span><a href=${this.link(t.at)}>Turn ${S(e)}</a>: <b>${S(t.
total)}</b> tokens${t.reported?h` (${S(t.reported)} reported)`:m}${s?", after a compaction":""}</span>
      ${r.map((o,a)=>t.parts[o]?h`<span class=${`key series-${a%8}`}>${o} ${F(t.parts[o]??0)}</span>`:m)}</p>`}render(){let t=this.facts;if(!t)return h`<div class="page-pad"><p class="muted">Computing the context…</p></div>`;
let e=Te(t.turns),s=Math.max(1,...t.largest.map(({tokens:o})=>o)),r=e.filter(({compacts:o})=>o).length;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${F(t.total)}</b><span>tokens now</span></div>
        ${t.window?h`<div><b>${Math.round(t.total/t.window*100)}%</b><span>of ${F(t.window)}</span></div>`:m}
        <div><b>${S(t.turns.length)}</b><span>turns</span></div><div><b>${S(r)}</b><span>${r===1?"compaction":"compactions"}</span></div>
      </div>
      <section class="card"><h2>Context by turn</h2>${e.length===0?h`<p class="muted">No request was sent on this branch.</p>`:this.chart(t,e)}</section>
      <div class="columns">
        <section class="card"><h2>Now</h2>${t.parts.map(({name:o,tokens:a},l)=>Gs(o,a,Math.max(1,...t.parts.map(c=>c.tokens)),`series-${l%8}`,null))}</section>
        <section class="card"><h2>Largest things</h2>${t.largest.map(({at:o,what:a,tokens:l})=>Gs(_(a,110),l,s,"series-2",this.link(o)))}
          ${t.largest.length===0?h`<p class="muted">Nothing yet.</p>`:m}</section>
      </div>
      <p class="muted">${R(t.turns.length,"turn")}; sizes are estimates, as Pi makes them.</p>
    </div>`}};u([y({attribute:!1})],mt.prototype,"model",2),u([y({attribute:!1})],mt.prototype,"at",2),u([b()],mt.prototype,"facts",2),u([b()],mt.prototype,"sel\
ected",2),mt=u([k("pt-context")],mt);function Sn({turn:n},i,t,e,s){let r=_t/t,o=t>80?0:1.5,a=0;return e.map((l,c)=>{let p=(n.parts[l]??0)/s*at;return a+=p,I`<rect class=${`\
series-${c%8}`} x=${i*r} y=${at-a} width=${r-o} height=${p}></rect>`})}function Gs(n,i,t,e,s){let r=h`<span class="bar-name">${n}</span><span class="bar-value">${F(
i)}</span><span class=${`bar-fill ${e}`} style=${P({width:`${i/t*100}%`})}></span>`;return s===null?h`<div class="bar">${r}</div>`:h`<a class="bar" href=${s}>${r}</a>`}
function Te(n){let i=Math.max(1,Math.ceil(n.length/wn)),t=[];for(let e=0;e<n.length;e+=i){let s=n.slice(e,e+i),r=s.reduce((o,a)=>a.total>o.total?a:o);t.push({turn:r,
number:e+s.indexOf(r)+1,compacts:s.some(({compaction:o})=>o)})}return t}/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:xn}=Ds,Ys=n=>n;var Xs=()=>document.createComment(""),zt=(n,i,t)=>{let e=n._$AA.parentNode,s=i===void 0?n._$AB:i._$AA;if(t===void 0){let r=e.insertBefore(Xs(),s),o=e.insertBefore(
Xs(),s);t=new xn(r,o,n,n.options)}else{let r=t._$AB.nextSibling,o=t._$AM,a=o!==n;if(a){let l;t._$AQ?.(n),t._$AM=n,t._$AP!==void 0&&(l=n._$AU)!==o._$AU&&t._$AP(l)}
if(r!==s||a){let l=t._$AA;for(;l!==r;){let c=Ys(l).nextSibling;Ys(e).insertBefore(l,s),l=c}}}return t},ft=(n,i,t=n)=>(n._$AI(i,t),n),kn={},Qs=(n,i=kn)=>n._$AH=i,
Zs=n=>n._$AH,Ae=n=>{n._$AR(),n._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Js=(n,i,t)=>{let e=new Map;for(let s=i;s<=t;s++)e.set(n[s],s);return e},Ut=Ee(class extends qt{constructor(n){if(super(n),n.type!==ke.CHILD)throw Error("\
repeat() can only be used in text expressions")}dt(n,i,t){let e;t===void 0?t=i:i!==void 0&&(e=i);let s=[],r=[],o=0;for(let a of n)s[o]=e?e(a,o):o,r[o]=t(a,o),o++;
return{values:r,keys:s}}render(n,i,t){return this.dt(n,i,t).values}update(n,[i,t,e]){let s=Zs(n),{values:r,keys:o}=this.dt(i,t,e);if(!Array.isArray(s))return this.
ut=o,r;let a=this.ut??=[],l=[],c,p,d=0,g=s.length-1,f=0,v=r.length-1;for(;d<=g&&f<=v;)if(s[d]===null)d++;else if(s[g]===null)g--;else if(a[d]===o[f])l[f]=ft(s[d],
r[f]),d++,f++;else if(a[g]===o[v])l[v]=ft(s[g],r[v]),g--,v--;else if(a[d]===o[v])l[v]=ft(s[d],r[v]),zt(n,l[v+1],s[d]),d++,v--;else if(a[g]===o[f])l[f]=ft(s[g],r[f]),
zt(n,s[d],s[g]),g--,f++;else if(c===void 0&&(c=Js(o,f,v),p=Js(a,d,g)),c.has(a[d]))if(c.has(a[g])){let $=p.get(o[f]),O=$!==void 0?s[$]:null;if(O===null){let M=zt(
n,s[d]);ft(M,r[f]),l[f]=M}else l[f]=ft(O,r[f]),zt(n,s[d],O),s[$]=null;f++}else Ae(s[g]),g--;else Ae(s[d]),d++;for(;f<=v;){let $=zt(n,l[v+1]);ft($,r[f]),l[f++]=$}
for(;d<=g;){let $=s[d++];$!==null&&Ae($)}return this.ut=o,Qs(n,l),j}});function ti(n){return typeof n=="object"?n.key:n}function ei(n,i){let t=n.length;return new Proxy(n,{get(e,s,r){if(typeof s=="string"){let o=s.charCodeAt(0);if(o>=
48&&o<=57){let a=+s;if(Number.isInteger(a)&&a>=0&&a<t){let l=e[a];if(typeof l!="object"){let c=i[a*2];l=e[a]={index:a,key:l,start:c,size:i[a*2+1],end:c+i[a*2+1],
lane:0}}return l}}if(s==="length")return t}return Reflect.get(e,s,r)}})}function Mt(n,i,t){let e=t.initialDeps??[],s,r=!0;function o(){var a;let c=0,p=n();if(!(p.length!==e.length||p.some((f,v)=>e[v]!==f)))return s;e=p;let g=0;return s=
i(...p),t?.onChange&&!(r&&t.skipInitialOnChange)&&t.onChange(s),r=!1,s}return o.updateDeps=a=>{e=a},o}function ss(n,i){if(n===void 0)throw new Error(`Unexpected\
 undefined${i?`: ${i}`:""}`);return n}var lt=(n,i)=>Math.abs(n-i)<1.01,si=(n,i,t)=>{let e;return Object.assign(function(...s){n.clearTimeout(e),e=n.setTimeout(()=>i.
apply(this,s),t)},{cancel:()=>{n.clearTimeout(e)}})};function ii({offset:n,isScrolling:i,elementMax:t,holdOffset:e,scrollOffset:s,pendingWrite:r,clampedMaxAtWrite:o}){var a;return i&&r===null&&n===s?"spurious":r!==
null&&Math.abs(n-r.target)<1.5?"readBack":r!==null&&!r.smooth&&t!==null&&r.target>t+e+.5&&Math.abs(n-(t+e))<1.5||r!==null&&!r.smooth&&((a=r.lowMaxes)!=null&&a.some(
l=>Math.abs(n-l)<1.5))?"clampedReadBack":o!==null&&Math.abs(n-o)<1.5?"clampedEcho":"external"}var En=n=>n==="smooth"||n==="smoothFinishing";function ni({kind:n,
offset:i,command:t,target:e}){return n!=="spurious"&&n!=="readBack"&&n!=="clampedReadBack"&&t?.index!=null&&t.phase!=="queued"&&!En(t.phase)&&!lt(i,t.lastTargetOffset)&&
!lt(i,e())&&n!=="clampedEcho"}var is=40;function ri(n){let i=n[n.length-1];if(i===void 0)return!1;let t=n.length-2;for(;t>=0&&i.t-n[t].t<is;)t--;if(t<0)return!1;
let e=n[t],s=t-1;for(;s>=0&&e.t-n[s].t<is;)s--;if(s<0)return!1;let r=n[s],o=(i.offset-e.offset)/(i.t-e.t),a=(e.offset-r.offset)/(e.t-r.t);return o*a>=0&&Math.abs(
o)>=2*Math.abs(a)&&Math.abs(o)-Math.abs(a)>=.8}function oi(n){let i=n[n.length-1];if(i===void 0)return!1;let t=n.length-2;for(;t>=0&&i.t-n[t].t<is;)t--;if(t<0)return!1;
let e=n[t];return Math.abs(i.offset-e.offset)/(i.t-e.t)>=.05}var ie,ne=()=>{if(ie!==void 0)return ie;if(typeof navigator>"u")return ie=!1;if(/iP(hone|od|ad)/.test(navigator.userAgent))return ie=!0;let n=navigator.maxTouchPoints;
return ie=navigator.platform==="MacIntel"&&n!==void 0&&n>0},ns,Tn=()=>ns!==void 0?ns:ns=ne()&&typeof CSS<"u"&&typeof CSS.supports=="function"&&CSS.supports("ove\
rflow-anchor: auto"),ai=()=>!ne()||Tn();var Kt={capture:!0,passive:!0},_e=class{constructor(i){this.host=i,this._touch=null,this.inMotion=()=>this._touch!==null&&this._touch.phase!=="lateFling",this.dragging=
()=>{var t;return((t=this._touch)==null?void 0:t.phase)==="down"&&this._touch.moved},this.tail=()=>{var t;return((t=this._touch)==null?void 0:t.phase)==="tail"?
this._touch.moved?"fling":"tap":null},this.onScroll=({isScrolling:t,ownReadBack:e,moved:s,external:r})=>{var o,a,l;return t&&((o=this._touch)==null?void 0:o.phase)===
"tail"?this._openTail(this._touch.moved||!e,!1):((a=this._touch)==null?void 0:a.phase)==="lateFling"&&(this.host.now()>this._touch.until?this._touch=null:r&&t&&
s&&this._openTail(!0,!1)),!e&&t&&s&&((l=this._touch)==null?void 0:l.phase)==="down"?(this._touch.moved=!0,!0):!1},this.touchStart=()=>{this.end(),this._touch={phase:"\
down",moved:!1}},this.touchEnd=()=>{var t;let e=((t=this._touch)==null?void 0:t.phase)==="down"&&this._touch.moved;this.end(),this._openTail(e,e)},this.end=()=>{
var t;let e=this.host.getWindow();((t=this._touch)==null?void 0:t.phase)==="tail"&&e!=null&&e.clearTimeout(this._touch.timerId),this._touch=null},this.listen=t=>{
let e=()=>this.touchStart(),s=()=>this.touchEnd();return t.addEventListener("touchstart",e,Kt),t.addEventListener("touchend",s,Kt),t.addEventListener("touchcanc\
el",s,Kt),()=>{t.removeEventListener("touchstart",e,Kt),t.removeEventListener("touchend",s,Kt),t.removeEventListener("touchcancel",s,Kt),this.end()}},this._openTail=
(t,e)=>{let s=this.host.getWindow();if(s==null)return;this.end();let r={phase:"tail",moved:t,awaitingFling:e,timerId:s.setTimeout(()=>{if(this.host.tailStillMoving()){
this._openTail(r.moved,r.awaitingFling);return}this._touch=r.awaitingFling?{phase:"lateFling",until:this.host.now()+1e3}:null,this.host.onTailClosed()},150)};this.
_touch=r}}get touch(){return this._touch}};var li=n=>{let{clientWidth:i,clientHeight:t}=n;return{width:i,height:t}},ui=n=>{let i=new Set;return{schedule:t=>{let e=n.requestAnimationFrame(()=>{i.delete(e),
t()});i.add(e)},cancel:()=>{i.forEach(t=>n.cancelAnimationFrame(t)),i.clear()}}},An=n=>n,rs=n=>{let i=n.overscan*Math.max(n.lanes??1,1),t=Math.max(n.startIndex-
i,0),s=Math.min(n.endIndex+i,n.count-1)-t+1,r=new Array(s);for(let o=0;o<s;o++)r[o]=t+o;return r},di=(n,i)=>{let t=n.scrollElement;if(!t)return;let e=n.targetWindow;
if(!e)return;let s=a=>{let{width:l,height:c}=a;i({width:Math.round(l),height:Math.round(c)})};if(s(li(t)),!e.ResizeObserver)return()=>{};let r=ui(e),o=new e.ResizeObserver(
()=>{let a=()=>{s(li(t))};n.options.useAnimationFrameWithResizeObserver?r.schedule(a):a()});return o.observe(t,{box:"content-box"}),()=>{o.unobserve(t),r.cancel()}},
hi={passive:!0};var _n=typeof window>"u"?!0:"onscrollend"in window,Mn=(n,i,t)=>{let e=n.scrollElement;if(!e)return;let s=n.targetWindow;if(!s)return;let r=n.options.useScrollendEvent&&
_n,o=0,a=r?null:si(s,()=>i(t(e),!1),n.options.isScrollingResetDelay),l=d=>()=>{o=t(e),a?.(),i(o,d)},c=l(!0),p=l(!1);return e.addEventListener("scroll",c,hi),r&&
e.addEventListener("scrollend",p,hi),()=>{e.removeEventListener("scroll",c),r&&e.removeEventListener("scrollend",p),a?.cancel()}},pi=(n,i)=>Mn(n,i,t=>{let{horizontal:e,
isRtl:s}=n.options;return e?t.scrollLeft*(s&&-1||1):t.scrollTop});var os=(n,i,t)=>{if(t.options.useCachedMeasurements){let e=t.indexFromElement(n),s=t.options.getItemKey(e);return t.itemSizeCache.get(s)??t.options.estimateSize(
e)}if(i?.borderBoxSize){let e=i.borderBoxSize[0];if(e)return Math.round(e[t.options.horizontal?"inlineSize":"blockSize"])}if(!i){let e=t.indexFromElement(n),s=t.
options.getItemKey(e),r=t.itemSizeCache.get(s);if(r!==void 0)return r}return n[t.options.horizontal?"offsetWidth":"offsetHeight"]},Rn=(n,{adjustments:i=0,behavior:t},e)=>{
var s;let{scrollElement:r,options:o}=e,a=n+i,l=o.horizontal&&o.isRtl&&r!==null&&"ownerDocument"in r;(s=r?.scrollTo)==null||s.call(r,{[o.horizontal?"left":"top"]:l?
-a:a,behavior:t})};var mi=Rn,ci=(n,i)=>n==="smooth"?i?"smoothLanded":"smooth":"instant",re=n=>n?.phase==="smooth"||n?.phase==="smoothLanded";function Cn(n,i,t,e){if(i===0)return!1;
let s=e(0),r=new Set,o=0;for(;o<n;){let l=t(o);if(l===s)break;r.add(l),o++}let a=n-o;if(a===0||a>=i)return!1;for(let l=0;l<a;l++)if(e(l)!==t(o+l))return!1;for(let l=a;l<
i;l++)if(r.has(e(l)))return!1;return!0}var Me=class{constructor(i){this.unsubs=[],this.scrollElement=null,this.targetWindow=null,this.isScrolling=!1,this.scrollState=
null,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache=new Map,this.itemSizeCacheVersion=0,this.laneAssignments=new Map,this.pendingMin=
null,this.prevLanes=void 0,this.lanesChangedFlag=!1,this.lanesSettling=!1,this.pendingScrollAnchor=null,this.scrollRect=null,this.scrollOffset=null,this.scrollDirection=
null,this._holdOffset=0,this._reportedOverscroll=!1,this._iosGesture=new _e({getWindow:()=>this.targetWindow,now:()=>this.now(),tailStillMoving:()=>{let t=this.
scrollState;if(t?.phase!=="queued"||this.pendingWrite!==null)return!1;let e=this._readElementOffset();return e===null||this._lastElementOffset===null||Math.abs(
e-this._lastElementOffset)<1?!1:(this._lastElementOffset=e,t.samples=[...t.samples??[],{t:this.now(),offset:e}],!0)},onTailClosed:()=>{let t=this.scrollState;t?.
phase==="queued"&&oi(t.samples??[])&&(this.scrollState=null),this._flushHoldIfReady(!0),this._writeAwaitingCommand(),this._retryClampedAdjustment()}}),this._lastElementOffset=
null,this.pendingWrite=null,this._clampedAdjustment=null,this.elementsCache=new Map,this._resizeBatch=null,this.now=()=>{var t,e,s;return((s=(e=(t=this.targetWindow)==
null?void 0:t.performance)==null?void 0:e.now)==null?void 0:s.call(e))??Date.now()},this.observer=(()=>{let t=null,e=null,s=!1,r=!1,o=new Set,a=()=>{if(t)return t;
let c=this.targetWindow;if(!c||!c.ResizeObserver)return null;let p=e=ui(c);return t=new c.ResizeObserver(d=>{let g=()=>{let f={sync:!1};this._resizeBatch=f;try{
d.forEach(l)}finally{this._resizeBatch=null,f.notify&&(this.notify(f.sync),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment(),this.measureElement(
null))}};if(this.options.useAnimationFrameWithResizeObserver)p.schedule(g);else{s=!0;try{g()}finally{s=!1}}})},l=c=>{let p=c.target,d=this.indexFromElement(p);if(!p.
isConnected){this.observer.unobserve(p);for(let[g,f]of this.elementsCache)if(f===p){this.elementsCache.delete(g);break}return}this.isIndexInRange(d)&&this.shouldMeasureDuringScroll(
d)&&this.resizeItem(d,this.options.measureElement(p,c,this))};return{disconnect:()=>{var c;(c=a())==null||c.disconnect(),e?.cancel(),o.clear(),r=!1,t=null,e=null},
observe:c=>{let p=a();if(p){if(!s){p.observe(c,{box:"border-box"});return}o.add(c),r||(r=!0,e?.schedule(()=>{r=!1,o.forEach(d=>{d.isConnected&&t?.observe(d,{box:"\
border-box"})}),o.clear()}))}},unobserve:c=>{var p;o.delete(c),(p=a())==null||p.unobserve(c)}}})(),this.range=null,this.setOptions=t=>{var e;let s={debug:!1,initialOffset:0,
overscan:1,paddingStart:0,paddingEnd:0,scrollPaddingStart:0,scrollPaddingEnd:0,horizontal:!1,getItemKey:An,rangeExtractor:rs,onChange:()=>{},measureElement:os,initialRect:{
width:0,height:0},scrollMargin:0,gap:0,indexAttribute:"data-index",initialMeasurementsCache:[],lanes:1,anchorTo:"start",followOnAppend:!1,scrollEndThreshold:1,isScrollingResetDelay:150,
enabled:!0,isRtl:!1,useScrollendEvent:!1,useAnimationFrameWithResizeObserver:!1,laneAssignmentMode:"estimate",useCachedMeasurements:!1};for(let p in t){let d=t[p];
d!==void 0&&(s[p]=d)}let r=this.options,o=null,a=null,l=!1;if(r!==void 0&&r.enabled&&s.enabled&&s.anchorTo==="end"&&this.scrollElement!==null){let p=r.count,d=s.
count,g=this.getMeasurements(),f=((e=this._singleLaneMeasurements)==null?void 0:e.items)??g,v=x=>ti(f[x]),$=p>0?v(0):null,O=p>0?v(p-1):null;if(d!==p||p>0&&d>0&&
(s.getItemKey(0)!==$||s.getItemKey(d-1)!==O)){l=!0;let x=p>0?this.getVirtualItemForOffset(this.getScrollOffset())??g[0]:null;x&&(o=[x.key,this.getScrollOffset()-
x.start]);let st=s.followOnAppend===!0?"auto":s.followOnAppend||null;st&&d>0&&this.isAtEnd(r.scrollEndThreshold)&&(p===0||s.getItemKey(d-1)!==O)&&(d>p||Cn(p,d,v,
s.getItemKey))&&(a=st)}}this.options=s,l&&(this.pendingMin=0,this.itemSizeCacheVersion++);let c=null;if(o&&this.scrollOffset!==null&&!this._awaitingCommandReadBack()){
let[p,d]=o,g=this.getMeasurements(),{count:f,getItemKey:v}=this.options,$=0;for(;$<f&&v($)!==p;)$++;if($<f){let O=g[$];if(O){let M=Math.max(0,O.start+d);!a&&M!==
this.scrollOffset&&(c=M-this.scrollOffset,this.scrollOffset=M)}}}a?this.pendingScrollAnchor={kind:"follow",behavior:a}:c!==null&&(this._canWriteScroll()?this.pendingScrollAnchor=
{kind:"anchor",delta:c}:(this._holdOffset+=c,this._followOffsetTarget(c)))},this.notify=t=>{var e,s;(s=(e=this.options).onChange)==null||s.call(e,this,t)},this.
maybeNotify=Mt(()=>(this.calculateRange(),[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]),t=>{this.notify(t)},{key:!1,
debug:()=>this.options.debug,initialDeps:[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]}),this.cleanup=()=>{var t;
this.unsubs.filter(Boolean).forEach(e=>e()),this.unsubs=[],this.observer.disconnect(),this.rafId!=null&&this.targetWindow&&(this.targetWindow.cancelAnimationFrame(
this.rafId),this.rafId=null),this.scrollState=null,(t=this._momentumStop)==null||t.restore(),this._momentumStop=null,this.isScrolling=!1,this.scrollDirection=null,
this._holdOffset=0,this._reportedOverscroll=!1,this._clampedAdjustment=null,this.pendingWrite=null,this.scrollElement=null,this.targetWindow=null},this._didMount=
()=>()=>{this.cleanup()},this._willUpdate=()=>{var t;let e=this.options.enabled?this.options.getScrollElement():null;if(this.scrollElement!==e){if(this.cleanup(),
!e){this.maybeNotify();return}this.scrollElement=e,this.scrollElement&&"ownerDocument"in this.scrollElement?this.targetWindow=this.scrollElement.ownerDocument.defaultView:
this.targetWindow=((t=this.scrollElement)==null?void 0:t.window)??null,this.elementsCache.forEach(r=>{this.observer.observe(r)}),this.unsubs.push(this.options.observeElementRect(
this,r=>{this.scrollRect=r,this.maybeNotify()})),this.unsubs.push(this.options.observeElementOffset(this,(r,o)=>{var a,l,c,p;let d=o?this._elementMaxScrollOffset():
null,g=this._reportedOverscroll;this._reportedOverscroll=r<0||d!==null&&r>d+1;let f=r;this._lastElementOffset=f,r=this._toLayoutOffset(r);let v=this._classifyScrollEvent(
r,o,d);if(v==="spurious")return;v==="readBack"?r=this.pendingWrite.target:v==="clampedReadBack"&&((a=this.scrollState)==null?void 0:a.index)!=null&&r<this.getMaxScrollOffset()-
1.5?this.scrollState.lastTargetOffset=r:ni({kind:v,offset:r,command:this.scrollState,target:()=>this.getScrollStateTarget(this.scrollState)})&&(this.scrollState=
null),this.pendingWrite=null,this._clampedAdjustment!==null&&Math.abs(r-this._clampedAdjustment.maxAtWrite)>=1.5&&(this._clampedAdjustment=null);let $=this.getScrollOffset(),
O=this.scrollDirection;this.scrollDirection=o?$===r?this.scrollDirection:$<r?"forward":"backward":null,this.scrollOffset=r,this.isScrolling=o;let M=this.scrollState;
if(M?.phase==="queued"&&v==="external"&&o)if(g||this._reportedOverscroll)M.samples=[];else{let T=this.now();M.samples=[...(M.samples??[]).filter(x=>T-x.t<=200),
{t:T,offset:f}],(O!==null&&this.scrollDirection!==O||ri(M.samples))&&(this.scrollState=null)}this._iosGesture.onScroll({isScrolling:o,ownReadBack:v==="readBack",
moved:r!==$,external:v==="external"&&((l=this.scrollState)==null?void 0:l.phase)!=="smooth"&&((c=this.scrollState)==null?void 0:c.phase)!=="smoothFinishing"})&&
((p=this.scrollState)==null?void 0:p.phase)==="queued"&&(this.scrollState=null),this._flushHoldIfReady(!0),this.scrollState&&this.scheduleScrollReconcile(),this.
maybeNotify()})),"addEventListener"in this.scrollElement&&this.unsubs.push(this._iosGesture.listen(this.scrollElement)),this._scrollToOffset(this.getScrollOffset())}
this._noteClampMax();let s=this.pendingScrollAnchor;this.pendingScrollAnchor=null,s&&this.scrollElement&&this.options.enabled&&(s.kind==="anchor"?this._canWriteScroll()?
re(this.scrollState)&&!lt(this.getScrollOffset()-s.delta,this.scrollState.lastTargetOffset)||(this._followOffsetTarget(s.delta),this._scrollToOffset(this.getScrollOffset())):
(this._holdOffset+=s.delta,this._followOffsetTarget(s.delta),this.notify(!1)):this.scrollToEnd({behavior:s.behavior})),this._flushHoldIfReady(!1),this._retryClampedAdjustment()},
this._classifyScrollEvent=(t,e,s)=>{var r;return ii({offset:t,isScrolling:e,elementMax:s,holdOffset:this._holdOffset,scrollOffset:this.scrollOffset,pendingWrite:this.
pendingWrite,clampedMaxAtWrite:((r=this._clampedAdjustment)==null?void 0:r.maxAtWrite)??null})},this._retryClampedAdjustment=()=>{if(this._clampedAdjustment===null||
!this.scrollElement||!this.options.enabled||!this._canWriteScroll())return;let{target:t,maxAtWrite:e}=this._clampedAdjustment,s=this.getMaxScrollOffset();s>e+.5&&
(this._clampedAdjustment=t>s+.5?{target:t,maxAtWrite:s}:null,this._scrollToOffset(t))},this._writeAwaitingCommand=()=>{let t=this.scrollState;if(t===null||t.phase!==
"queued")return;let{behavior:e}=t;this.getMeasurements();let s=this.getScrollStateTarget(t);t.lastTargetOffset=s,this._clampedAdjustment=null,t.phase=ci(e,t.index!=
null&&lt(s,this.getScrollOffset())),this._scrollToOffset(s,{behavior:e}),this.scheduleScrollReconcile()},this._readElementOffset=()=>{let t=this.scrollElement;if(t==
null)return null;let{horizontal:e,isRtl:s}=this.options;return typeof t.scrollTop=="number"?e?t.scrollLeft*(s&&-1||1):t.scrollTop:typeof t.scrollY=="number"?e?t.
scrollX:t.scrollY:null},this._canWriteScroll=()=>!(ne()&&this._iosGesture.inMotion())&&!this._reportedOverscroll,this._flushHoldIfReady=t=>{var e;if(this._holdOffset===
0||!this.scrollElement||!this.options.enabled||!this._canWriteScroll()||((e=this.scrollState)==null?void 0:e.phase)==="smooth")return;this._holdOffset=0,this.scrollOffset!==
null&&this.scrollOffset<0&&(this.scrollOffset=0),this.notify(t);let s=this.getCommandWrittenOffset()??this.getScrollOffset();this._clampedAdjustment=this._clampedBy(
s),this._scrollToOffset(s)},this.rafId=null,this.getSize=()=>this.options.enabled?(this.scrollRect=this.scrollRect??this.options.initialRect,this.scrollRect[this.
options.horizontal?"width":"height"]):(this.scrollRect=null,0),this.getScrollOffset=()=>this.options.enabled?(this.scrollOffset=this.scrollOffset??(typeof this.
options.initialOffset=="function"?this.options.initialOffset():this.options.initialOffset),this.scrollOffset):(this.scrollOffset=null,0),this.getMeasurementOptions=
Mt(()=>[this.options.count,this.options.paddingStart,this.options.scrollMargin,this.options.getItemKey,this.options.enabled,this.options.lanes,this.options.laneAssignmentMode,
this.options.gap],(t,e,s,r,o,a,l,c)=>(this.prevLanes!==void 0&&this.prevLanes!==a&&(this.lanesChangedFlag=!0),this.prevLanes=a,this.pendingMin=null,{count:t,paddingStart:e,
scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c}),{key:!1}),this.isIndexInRange=t=>t>=0&&t<this.options.count,this.getMeasurements=Mt(()=>[
this.getMeasurementOptions(),this.itemSizeCacheVersion],({count:t,paddingStart:e,scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c},p)=>{
var d;let g=this.itemSizeCache;if(!o)return this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),
[];if(this.laneAssignments.size>t)for(let T of this.laneAssignments.keys())T>=t&&this.laneAssignments.delete(T);this.lanesChangedFlag&&(this.lanesChangedFlag=!1,
this.lanesSettling=!0,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.pendingMin=null),
this.measurementsCache.length===0&&!this.lanesSettling&&(this.measurementsCache=this.options.initialMeasurementsCache,this.measurementsCache.forEach(T=>{this.itemSizeCache.
set(T.key,T.size)}));let f=this.lanesSettling?0:this.pendingMin??0;if(this.pendingMin=null,this.lanesSettling&&this.measurementsCache.length===t&&(this.lanesSettling=
!1),a===1){let T=t*2,x=(d=this._singleLaneMeasurements)==null?void 0:d.flat;if(!x||x.length<T){let q=new Float64Array(T);x&&f>0&&q.set(x.subarray(0,f*2)),x=q}let st=f===
0?new Array(t):this._singleLaneMeasurements.items.slice(),D;if(f===0)D=e+s;else{let q=f-1;D=x[q*2]+x[q*2+1]+c}for(let q=f;q<t;q++){let Vt=r(q);st[q]=Vt;let Gt=g.
get(Vt),Yt=typeof Gt=="number"?Gt:this.options.estimateSize(q);x[q*2]=D,x[q*2+1]=Yt,D+=Yt+c}this._singleLaneMeasurements={flat:x,items:st};let ht=ei(st,x);return this.
measurementsCache=ht,ht}let v=this.measurementsCache.slice(0,f),$=new Array(a).fill(void 0),O=new Float64Array(a),M=0;for(let T=0;T<f;T++){let x=v[T];x&&($[x.lane]===
void 0&&M++,$[x.lane]=T,O[x.lane]=x.end)}for(let T=f;T<t;T++){let x=r(T),st=this.laneAssignments.get(T),D,ht,q=l==="estimate"||g.has(x);if(st!==void 0&&this.options.
lanes>1){D=st;let Xt=$[D],vt=Xt!==void 0?v[Xt]:void 0;ht=vt?vt.end+c:e+s}else if(M===a){let Xt=0,vt=O[0],Ss=$[0];for(let Ft=1;Ft<a;Ft++){let je=O[Ft];(je<vt||je===
vt&&$[Ft]<Ss)&&(Xt=Ft,vt=je,Ss=$[Ft])}D=Xt,ht=vt+c,q&&this.laneAssignments.set(T,D)}else D=T%this.options.lanes,ht=e+s,q&&this.laneAssignments.set(T,D);let Vt=g.
get(x),Gt=typeof Vt=="number"?Vt:this.options.estimateSize(T),Yt=ht+Gt;v[T]={index:T,start:ht,size:Gt,end:Yt,key:x,lane:D},$[D]===void 0&&M++,$[D]=T,O[D]=Yt}return this.
measurementsCache=v,v},{key:!1,debug:()=>this.options.debug}),this.calculateRange=Mt(()=>[this.getMeasurements(),this.getSize(),this.getScrollOffset(),this.options.
lanes,this._getLayoutTotalSize()+this.options.scrollMargin],(t,e,s,r,o)=>{if(t.length===0||e===0)return this.range=null,null;let a=Math.max(o-e,0);return this.range=
Pn(t,e,Math.min(s,a),r,r===1&&this._singleLaneMeasurements!==null?this._singleLaneMeasurements.flat:null),this.range},{key:!1,debug:()=>this.options.debug}),this.
getVirtualIndexes=Mt(()=>{let t=null,e=null,s=this.calculateRange();return s&&(t=s.startIndex,e=s.endIndex),this.maybeNotify.updateDeps([this.isScrolling,t,e]),
[this.options.rangeExtractor,this.options.overscan,this.options.count,t,e,this.options.lanes]},(t,e,s,r,o,a)=>r===null||o===null?[]:t({startIndex:r,endIndex:o,overscan:e,
count:s,lanes:a}),{key:!1,debug:()=>this.options.debug}),this.indexFromElement=t=>{let e=this.options.indexAttribute,s=t.getAttribute(e);return s?parseInt(s,10):
(console.warn(`Missing attribute name '${e}={index}' on measured element.`),-1)},this.shouldMeasureDuringScroll=t=>{var e;if(!re(this.scrollState))return!0;let s=this.
scrollState.index??((e=this.getVirtualItemForOffset(this.scrollState.lastTargetOffset))==null?void 0:e.index);if(s!==void 0&&this.range){let r=Math.max(this.options.
overscan,Math.ceil((this.range.endIndex-this.range.startIndex)/2)),o=Math.max(0,s-r),a=Math.min(this.options.count-1,s+r);return t>=o&&t<=a}return!0},this.measureElement=
t=>{if(!t){this.elementsCache.forEach((o,a)=>{o.isConnected||(this.observer.unobserve(o),this.elementsCache.delete(a))});return}let e=this.indexFromElement(t);if(!this.
isIndexInRange(e))return;let s=this.options.getItemKey(e),r=this.elementsCache.get(s);r!==t&&(r&&this.observer.unobserve(r),this.observer.observe(t),this.elementsCache.
set(s,t)),t.isConnected&&(!this.isScrolling||this.scrollState)&&this.shouldMeasureDuringScroll(e)&&this.resizeItem(e,this.options.measureElement(t,void 0,this))},
this.resizeItem=(t,e)=>{var s,r,o;if(!this.isIndexInRange(t))return;(s=this._resizeBatch)!=null&&s.sync&&this.getMeasurements();let a,l,c,p=(r=this._singleLaneMeasurements)==
null?void 0:r.flat;if(this.options.lanes===1&&p!=null)c=this.options.getItemKey(t),l=p[t*2],a=p[t*2+1];else{let f=this.measurementsCache[t];if(!f)return;c=f.key,
l=f.start,a=f.size}let d=this.itemSizeCache.get(c)??a,g=e-d;if(g!==0){let f=this.options.anchorTo==="end"&&!re(this.scrollState)&&this.getVirtualDistanceFromEnd()<=
this.options.scrollEndThreshold,v=f?this._getLayoutTotalSize():0,$=this.getScrollOffset(),M=!this.itemSizeCache.has(c)?l<$:l+d<=$&&this.scrollDirection!=="backw\
ard",T=!re(this.scrollState)&&(this.shouldAdjustScrollPositionOnItemSizeChange!==void 0?this.shouldAdjustScrollPositionOnItemSizeChange(this.measurementsCache[t]??
{index:t,key:c,start:l,size:a,end:l+a,lane:0},g,this):M);(this.pendingMin===null||t<this.pendingMin)&&(this.pendingMin=t),this.itemSizeCache.set(c,e),this.itemSizeCacheVersion++;
let x=!1;if(this._awaitingCommandReadBack()||(f?x=this.applyScrollAdjustment(this._getLayoutTotalSize()-v):T&&(x=this.applyScrollAdjustment(g))),this._resizeBatch){
this._resizeBatch.notify=!0,(o=this._resizeBatch).sync||(o.sync=x);return}this.notify(x),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment()}},
this.getVirtualItems=Mt(()=>[this.getVirtualIndexes(),this.getMeasurements(),this._holdOffset],(t,e,s)=>{let r=[];for(let o=0,a=t.length;o<a;o++){let l=t[o],c=e[l];
r.push(s===0?c:{...c,start:c.start-s,end:c.end-s})}return r},{key:!1,debug:()=>this.options.debug}),this.getVirtualItemForOffset=t=>{var e;let s=this.getMeasurements();
if(s.length===0)return;let r=(e=this._singleLaneMeasurements)==null?void 0:e.flat,o=this.options.lanes===1&&r!=null,a=fi(0,s.length-1,o?l=>r[l*2]:l=>ss(s[l]).start,
t);return ss(s[a])},this._noteClampMax=()=>{if(!this._awaitingCommandReadBack())return;let t=this._elementMaxScrollOffset();if(t===null)return;let e=this.pendingWrite,
s=Math.max(t,0)+this._holdOffset;if(s>=e.target)return;let r=e.lowMaxes??(e.lowMaxes=[]);r[r.length-1]!==s&&r.push(s)},this.getMaxScrollOffset=()=>(this._elementMaxScrollOffset()??
0)+this._holdOffset,this._toLayoutOffset=t=>{var e;let s=t+this._holdOffset;return((e=this.pendingScrollAnchor)==null?void 0:e.kind)==="anchor"&&(s+=this.pendingScrollAnchor.
delta),s},this._elementMaxScrollOffset=()=>{let t=this.scrollElement;if(t===null)return null;if("scrollHeight"in t)return this.options.horizontal?t.scrollWidth-
t.clientWidth:t.scrollHeight-t.clientHeight;if("document"in t){let e=t.document.documentElement;return this.options.horizontal?e.scrollWidth-t.innerWidth:e.scrollHeight-
t.innerHeight}return null},this._momentumStop=null,this._stopMomentum=t=>{let e=this.scrollElement,s=this.targetWindow;if(e===null||s===null)return;let r="docum\
ent"in e?e.document.scrollingElement:e;if(!r?.style)return;if(this._momentumStop){this._momentumStop.done=t;return}let{style:o}=r,a=this.options.horizontal?"ove\
rflow-x":"overflow-y",l=o.getPropertyValue(a),c=o.getPropertyPriority(a),p=()=>this.options.horizontal?r.clientHeight:r.clientWidth,d=p();if(o.setProperty(a,"hi\
dden","important"),p()!==d){o.setProperty(a,l,c);return}let g={restore:()=>o.getPropertyValue(a)!=="hidden"||o.getPropertyPriority(a)!=="important"?!1:(o.setProperty(
a,l,c),!0),done:t};this._momentumStop=g,s.requestAnimationFrame(()=>s.requestAnimationFrame(()=>{this._momentumStop===g&&(this._momentumStop=null,g.restore()&&g.
done())}))},this._clampedBy=t=>{let e=this._elementMaxScrollOffset();if(e===null)return null;let s=e+this._holdOffset;return t>s+.5?{target:t,maxAtWrite:s}:null},
this.getVirtualDistanceFromEnd=()=>Math.max(this._getLayoutTotalSize()+this.options.scrollMargin-this.getSize()-this.getScrollOffset(),0),this.getDistanceFromEnd=
()=>Math.max(this.getMaxScrollOffset()-this.getScrollOffset(),0),this.isAtEnd=(t=this.options.scrollEndThreshold)=>this.getDistanceFromEnd()<=t,this.getOffsetForAlignment=
(t,e,s=0)=>{if(!this.scrollElement)return 0;let r=this.getSize(),o=this.getScrollOffset();e==="auto"&&(e=t>=o+r?"end":"start"),e==="center"?t+=(s-r)/2:e==="end"&&
(t-=r);let a=this.getMaxScrollOffset();return Math.max(Math.min(a,t),0)},this.getOffsetForIndex=(t,e="auto")=>{t=Math.max(0,Math.min(t,this.options.count-1));let s=this.
getSize(),r=this.getScrollOffset(),o=this.getMeasurements()[t];if(!o)return;if(e==="auto")if(o.end>=r+s-this.options.scrollPaddingEnd)e="end";else if(o.start<=r+
this.options.scrollPaddingStart)e="start";else return[r,e];if(e==="end"&&t===this.options.count-1){let l=this.getMaxScrollOffset(),c=l-this.options.paddingEnd+this.
options.scrollPaddingEnd;return[Math.max(Math.min(c,l),0),e]}let a=e==="end"?o.end+this.options.scrollPaddingEnd:o.start-this.options.scrollPaddingStart;return[
this.getOffsetForAlignment(a,e,o.size),e]},this.scrollToOffset=(t,{align:e="start",behavior:s="auto"}={})=>{this._startScroll({index:null,align:e},this.getOffsetForAlignment(
t,e),s,"absolute")},this.scrollToIndex=(t,{align:e="auto",behavior:s="auto"}={})=>{t=Math.max(0,Math.min(t,this.options.count-1));let r=this.getOffsetForIndex(t,
e);if(!r)return;let[o,a]=r;this._startScroll({index:t,align:a},o,s,"absolute")},this.scrollBy=(t,{behavior:e="auto"}={})=>{let s=this.getOffsetForAlignment((this.
getCommandWrittenOffset()??this.getScrollOffset())+t,"start");this._startScroll({index:null,align:"start"},s,e,"relative")},this.scrollToEnd=({behavior:t="auto"}={})=>{
if(this.options.count>0){this._startScroll({index:this.options.count-1,align:"end",toEnd:!0},Math.max(this.getMaxScrollOffset(),0),t,"absolute");return}this.scrollToOffset(
Math.max(this.getTotalSize()-this.getSize(),0),{behavior:t})},this.cancelScroll=()=>{this.rafId!=null&&this.targetWindow&&(this.targetWindow.cancelAnimationFrame(
this.rafId),this.rafId=null),this.scrollState=null},this.getTotalSize=()=>Math.max(this._getLayoutTotalSize()-this._holdOffset,0),this._getLayoutTotalSize=()=>{
var t,e;let s=this.getMeasurements(),r;if(s.length===0)r=this.options.paddingStart;else if(this.options.lanes===1){let o=s.length-1,a=(t=this._singleLaneMeasurements)==
null?void 0:t.flat;a!=null?r=a[o*2]+a[o*2+1]:r=((e=s[o])==null?void 0:e.end)??0}else{let o=Array(this.options.lanes).fill(null),a=s.length-1;for(;a>=0&&o.some(l=>l===
null);){let l=s[a];o[l.lane]===null&&(o[l.lane]=l.end),a--}r=Math.max(...o.filter(l=>l!==null))}return Math.max(r-this.options.scrollMargin+this.options.paddingEnd,
0)},this.takeSnapshot=()=>{let t=[];if(this.itemSizeCache.size===0)return t;let e=this.getMeasurements();for(let s of e)s&&this.itemSizeCache.has(s.key)&&t.push(
{index:s.index,key:s.key,start:s.start,size:s.size,end:s.end,lane:s.lane});return t},this._scrollToOffset=(t,{adjustments:e,behavior:s}={})=>{let r={target:t+(e??
0),smooth:s==="smooth"};return this.pendingWrite=r,this.options.scrollToFn(t-this._holdOffset,{behavior:s,adjustments:e},this),r},this.getCommandWrittenOffset=()=>this.
scrollState!==null&&this.pendingWrite!==null&&!this.pendingWrite.smooth?this.pendingWrite.target:null,this._awaitingCommandReadBack=()=>{let t=this.getCommandWrittenOffset();
return!(ne()&&this._iosGesture.dragging())&&t!==null&&!lt(t,this.getScrollOffset())},this._followOffsetTarget=t=>{this.scrollState!==null&&this.scrollState.index==
null&&(this.scrollState.lastTargetOffset+=t)},this.measure=()=>{this.pendingMin=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.itemSizeCacheVersion++,
this.notify(!1)},this.setOptions(i)}get scrollAdjustments(){return 0}applyScrollAdjustment(i,t){if(i===0)return!1;if(this._followOffsetTarget(i),this._canWriteScroll()){
let e=this.getScrollOffset();this._clampedAdjustment=this._clampedBy(e+i);let s=this._scrollToOffset(e,{adjustments:i,behavior:t});return this.scrollOffset!==null&&
(this.pendingWrite===s&&(this.scrollOffset+=i),this.scrollOffset<0&&(this.scrollOffset=0)),!0}else return this._holdOffset+=i,this.scrollOffset!==null&&(this.scrollOffset+=
i),!0}scheduleScrollReconcile(){if(!this.targetWindow){this.scrollState=null;return}this.rafId==null&&(this.rafId=this.targetWindow.requestAnimationFrame(()=>{this.
rafId=null,this.reconcileScroll()}))}getScrollStateTarget(i){let t=i.toEnd?[Math.max(this.getMaxScrollOffset(),0)]:i.index!=null?this.getOffsetForIndex(i.index,
i.align):void 0;return t?t[0]:i.lastTargetOffset}reconcileScroll(){if(!this.scrollState||!this.scrollElement)return;if(this.now()-this.scrollState.startedAt>5e3){
this.scrollState=null;return}if(this.scrollState.phase==="queued"){this.scheduleScrollReconcile();return}this.getMeasurements();let e=this.getScrollStateTarget(
this.scrollState),s=this.scrollState.index==null?1:this.options.useAnimationFrameWithResizeObserver?3:2,r=e!==this.scrollState.lastTargetOffset;if(!r&&lt(e,this.
getScrollOffset())){if(this.scrollState.phase==="smooth"?this.scrollState.phase="smoothLanded":this.scrollState.phase==="smoothFinishing"&&(this.scrollState.phase=
"instant"),this.scrollState.stableFrames++,this.scrollState.stableFrames>=s){this.getScrollOffset()!==e&&this._scrollToOffset(e,{behavior:"auto"}),this.scrollState=
null;return}}else if(this.scrollState.stableFrames=0,r){let o=this.getSize()||600,a=Math.abs(e-this.getScrollOffset()),l=re(this.scrollState)&&a>o;this.scrollState.
lastTargetOffset=e,l?this.scrollState.phase="smooth":this.scrollState.phase==="smooth"?this.scrollState.phase="smoothFinishing":this.scrollState.phase==="smooth\
Landed"&&(this.scrollState.phase="instant"),this._scrollToOffset(e,{behavior:l?"smooth":"auto"})}this.scheduleScrollReconcile()}_startScroll(i,t,e,s){this.pendingScrollAnchor=
null,this._clampedAdjustment=null;let r=this._iosGesture.tail();if(s==="absolute"&&r!==null){if(r==="fling"&&ai()){this._stopMomentum(()=>{let o=this.scrollState;
o?.phase!=="queued"||this._iosGesture.tail()!=="fling"||this._reportedOverscroll||(this._iosGesture.end(),this._flushHoldIfReady(!0),this._writeAwaitingCommand())}),
this.scrollState={...i,startedAt:this.now(),lastTargetOffset:t,stableFrames:0,phase:"queued",behavior:e,samples:[]},this.scheduleScrollReconcile();return}this._iosGesture.
end()}this.scrollState={...i,startedAt:this.now(),lastTargetOffset:t,stableFrames:0,behavior:e,phase:ci(e,i.index!=null&&lt(t,this.getScrollOffset()))},this._scrollToOffset(
t,{behavior:e}),this.scheduleScrollReconcile()}},fi=(n,i,t,e)=>{for(;n<=i;){let s=(n+i)/2|0,r=t(s);if(r<e)n=s+1;else if(r>e)i=s-1;else return s}return n>0?n-1:0};
function On(n,i,t){let e=0;for(;e<=i;){let s=(e+i)/2|0,r=n[s*2];if(r<t)e=s+1;else if(r>t)i=s-1;else return s}return e>0?e-1:0}function Pn(n,i,t,e,s){let r=n.length-
1;if(n.length<=e)return{startIndex:0,endIndex:r};if(e===1&&s!==null){let c=On(s,r,t),p=c,d=t+i;for(;p<r&&s[p*2]+s[p*2+1]<d;)p++;return{startIndex:c,endIndex:p}}
let a=fi(0,r,c=>n[c].start,t),l=a;if(e===1)for(;l<r&&n[l].end<t+i;)l++;else if(e>1){let c=Array(e).fill(0);for(;l<r&&c.some(d=>d<t+i);){let d=n[l];c[d.lane]=d.end,
l++}let p=Array(e).fill(t+i);for(;a>=0&&p.some(d=>d>=t);){let d=n[a];p[d.lane]=d.start,a--}a=Math.max(0,a-a%e),l=Math.min(r,l+(e-1-l%e))}return{startIndex:a,endIndex:l}}var Ln=new Set(["p","h1","h2","h3","h4","h5","h6","ul","ol","li","blockquote","pre","code","em","strong","del","a","table","thead","tbody","tr","th","td","hr","\
br","span","div","details","summary","img","dl","dt","dd"]),In=/^(?:https?:\/\/|mailto:)/i,Fn=/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,Hn=/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/,
qn={h1:"h3",h2:"h4",h3:"h5",h4:"h6",h5:"h6"},Nn=100;function gi(n){return typeof n=="object"&&n!==null&&!Array.isArray(n)}function Rt(n){return typeof n=="strin\
g"?n:null}function Dn(n,i){let t=Rt(i);t===null||!In.test(t)||(n.setAttribute("href",t),n.setAttribute("rel","noreferrer noopener"),n.setAttribute("target","_bl\
ank"))}function Bn(n,i){let t=Rt(i.src)??"";n.setAttribute("src",t),n.setAttribute("alt",Rt(i.t)??"Image"),n.setAttribute("loading","lazy")}function zn(n,i,t){let e=Rt(
t.c);e!==null&&Hn.test(e)&&(n.className=e);let s=Rt(t.t);s!==null&&i!=="img"&&(n.title=s),i==="a"&&Dn(n,t.h),i==="img"&&Bn(n,t),Number.isInteger(t.n)&&(n.dataset.
left=String(t.n)),i==="details"&&t.o===1&&n.setAttribute("open",""),i==="ol"&&Number.isInteger(t.s)&&n.setAttribute("start",String(t.s));let r=Rt(t.a);(i==="td"||
i==="th")&&r!==null&&/^(?:left|center|right)$/.test(r)&&n.classList.add(`align-${r}`)}function yi(n,i,t){if(typeof i=="string"){n.append(i);return}if(!Array.isArray(
i)||typeof i[0]!="string")return;let[e,s]=i,r=gi(s)?s:{},o=i.slice(gi(s)?2:1),a=Ln.has(e)&&t<Nn&&(e!=="img"||Fn.test(Rt(r.src)??"")),l=a?document.createElement(
qn[e]??e):n;a?zn(l,e,r):n.append(`<${e}>`);for(let c of o)yi(l,c,t+1);a&&n.append(l)}function Un(n){for(let i of n.querySelectorAll("pre, .lines"))i.tabIndex=0,
i.tagName==="PRE"&&i.setAttribute("role","region"),i.tagName==="PRE"&&i.setAttribute("aria-label","Text block")}function Y(n,i="body"){let t=document.createElement(
"div");if(t.className=i,typeof n=="string"){let e=document.createElement("pre");e.textContent=n,t.append(e)}else for(let e of n??[])yi(t,e,0);return Un(t),t}function as(n){return[...n.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map(([,i,t])=>(i??t??"").trim()).filter(Boolean)}function Kn(n,i,t){let e=[];for(let s=i.
indexOf(t);s>=0;s=i.indexOf(t,s+t.length)){let r=document.createRange();r.setStart(n,s),r.setEnd(n,s+t.length),e.push(r)}return e}function vi(n,i){if(!("highlig\
hts"in CSS))return;let t=as(i);if(t.length===0){CSS.highlights.delete("find");return}let e=[],s=document.createTreeWalker(n,NodeFilter.SHOW_TEXT);for(let r=s.nextNode();r&&
e.length<500;r=s.nextNode()){let o=(r.nodeValue??"").toLowerCase();if(o.length===r.nodeValue?.length)for(let a of t)e.push(...Kn(r,o,a))}CSS.highlights.set("fin\
d",new Highlight(...e))}var bi=new WeakMap;function wi(n,i){let t=bi.get(n);return t||(t=Y(n.body),ls(t),Si(t,n.at,i,e=>$i(e,n,i)),bi.set(n,t)),$i(t,n,i),t}function $i(n,i,t){if(i.calls.
length===0)return;let e=n.querySelectorAll(":scope > .call");i.calls.forEach((s,r)=>{let o=e[r],a=s.resultAt===null?void 0:t.row(s.resultAt);if(!o||!a||o.dataset.
resultAt===String(a.at))return;o.dataset.resultAt=String(a.at),o.classList.toggle("is-failed",a.isError);let l=Y(a.body,"result");o.querySelector(":scope > summ\
ary")?.append(jn(a,l)),ls(l),Si(l,a.at,t),o.append(l)})}function ls(n){for(let i of n.querySelectorAll("pre")){let t=document.createElement("div");t.className="\
block";let e=document.createElement("button");e.className="copy-block",e.tabIndex=-1,e.setAttribute("aria-label","Copy this block"),e.onclick=()=>w(dt(i.textContent??
"").then(()=>N("Block copied"))),i.replaceWith(t),t.append(i,e)}}function Si(n,i,t,e=()=>{}){for(let s of n.querySelectorAll(".cut[data-left]")){let r=document.
createElement("button");r.textContent=`Show the rest (${F(Number(s.dataset.left))} bytes)`,r.onclick=()=>w(t.source.entry(t.key,i).then(o=>{n.replaceChildren(...Y(
o.body).childNodes),ls(n),e(n)})),s.append(" ",r)}}function jn(n,i){let t=document.createElement("span");t.className="outcome";let e=document.createElement("spa\
n");return e.className=n.isError?"mark is-bad":"mark",e.textContent=n.isError?"failed":"ok",t.append(e," ",Wn(i)),t}function Wn(n){let i=n.querySelectorAll(".li\
nes > li"),e=(i.length>0?[...i].map(s=>s.textContent??""):(n.textContent??"").split(`
`)).filter(s=>s.trim()!=="");return e.length>1?`${R(e.length,"line")}: ${_(e[0]??"",60)}`:_(e[0]??"no output",100)}function xi(n,i,t){let e=as(i);for(let s of n.
querySelectorAll("details"))(e.some(o=>(s.textContent??"").toLowerCase().includes(o))||t!==null&&s.dataset.resultAt===String(t))&&(s.open=!0)}function ki(n){let i=Y(
n.body),t=[];for(let e of i.children)t.push(e.textContent??"");return t.join(`

`).trim()||n.summary}function Ei(n){return[...Y(n.body).querySelectorAll("pre")].filter(i=>!i.closest(".call, .thinking")).map(i=>i.textContent??"")}function Vn(n,i,t){n.dispatchEvent(new CustomEvent("row-action",{detail:{action:i,at:t},bubbles:!0}))}function oe(n,i,t,e){return h`<button class="quiet" tabindex="-1" title=${t} aria-label=${t} @click=${r=>{
r.stopPropagation(),Vn(r.currentTarget,n,i)}}>${e}</button>`}function Gn(n,i,t){let e=i.kind==="assistant"&&n.source.tabs.has("request");return h`<span class="row-tools">
    ${oe("copy",i.at,"Copy the message (y)","Copy")}
    ${oe("link",i.at,"Copy a link to this entry","Link")}
    ${n.source.canEdit?oe("label",i.at,"Set a label","Label"):m}
    ${e?oe("request",i.at,"Show the request for this reply","Request"):m}
    ${oe("fold",i.at,t.isFolded?"Unfold (o)":"Fold (o)",t.isFolded?"Unfold":"Fold")}
  </span>`}function Yn(n,i,t){return h`<header>
    <span class="who">${i.who||i.kind}</span>
    ${i.what?h`<code class="what">${_(i.what,80)}</code>`:m}
    ${i.label===null?m:h`<span class="chip is-label" title="Label">${i.label}</span>`}
    ${i.isError?h`<span class="chip is-error">error</span>`:m}
    <span class="particulars">${i.particulars.map(e=>h`<span>${e}</span>`)}</span>
    ${t.isNested?m:Gn(n,i,t)}
    <a class="time" tabindex="-1" href=${A(n.key,"",{leaf:n.leaf,e:i.at})} title=${At(i.time)}>${Vs(i.time)||`#${i.at}`}</a>
  </header>`}function Xn(n,i){return(n.facts?.family??[]).filter(t=>t.subagentOf===n.key&&t.at===i.at)}function Re(n,i,t){let e=["row",`is-${i.kind}`,t.isCursor?
"is-cursor":"",t.isFolded?"is-folded":"",i.isError?"is-failed":"",t.isHit?"is-hit":"",t.isAgain?"is-again":""],s=`${i.who||i.kind}${i.label===null?"":`, label ${i.
label}`}: ${_(i.summary,100)}`;return h`<article
    class=${e.filter(Boolean).join(" ")} data-index=${t.place} data-at=${i.at} tabindex=${t.isCursor?0:-1}
    aria-label=${s} aria-posinset=${t.place+1} aria-setsize=${n.path.length}
  >
    ${Yn(n,i,t)}
    ${t.isFolded?h`<p class="folded">${i.summary}</p>`:wi(i,n)}
    ${Xn(n,i).map(r=>h`<pt-subagent .source=${n.source} .member=${r}></pt-subagent>`)}
  </article>`}function Ti(n,i){return h`<article class="row is-empty" data-index=${n} data-at=${i} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`}
function Ai(n,i){return h`<div class="is-merged" data-index=${n} data-at=${i}></div>`}var X=class{constructor(i,t){this.measured=new WeakSet;this.list=null;this.stop=null;this.wanted=null;this.host=i,this.options=t,i.addController(this)}settings(){
let{count:i,scroller:t,estimate:e,overscan:s=8,paddingStart:r=0,paddingEnd:o=0,keyOf:a,range:l}=this.options();return{count:i,getScrollElement:()=>this.host.querySelector(
t),estimateSize:e,overscan:s,paddingStart:r,paddingEnd:o,observeElementRect:di,observeElementOffset:pi,scrollToFn:mi,measureElement:os,onChange:()=>this.host.requestUpdate(),
...a?{getItemKey:a}:{},...l?{rangeExtractor:l}:{}}}hostConnected(){this.host.requestUpdate()}hostDisconnected(){this.stop?.(),this.stop=null,this.list=null}hostUpdate(){
this.list&&this.list.setOptions({...this.list.options,...this.settings()})}hostUpdated(){if(this.list||(this.list=new Me(this.settings()),this.stop=this.list._didMount(),
this.host.requestUpdate()),this.list._willUpdate(),this.wanted&&this.list.range){let{place:i,align:t}=this.wanted;this.wanted=null,this.scrollTo(i,t)}if(this.options().
measures)for(let i of this.host.querySelectorAll(`${this.options().scroller} > * > .slot`))this.measured.has(i)||(this.measured.add(i),this.list.measureElement(
i))}get items(){return this.list?.getVirtualItems()??[]}get total(){return this.list?.getTotalSize()??0}get range(){return this.list?.range??null}scrollTo(i,t="\
auto"){this.list||(this.wanted={place:i,align:t}),this.hostUpdate(),this.list?.scrollToIndex(i,{align:t})}};var Qn=76,Zn=60,hs=3e3,Q=class extends E{constructor(){super(...arguments);this.cursor=-1;this.query="";this.hits=new Set;this.version=0;this.isPrinting=!1;this.
flipped=new Set;this.foldsAll=!1;this.virtual=new X(this,()=>({count:this.model.path.length,scroller:".scroller",estimate:()=>Qn,measures:!0,overscan:6,paddingStart:8,
paddingEnd:48,keyOf:t=>this.model.path[t]??t,range:t=>this.range(t)}));this.seen={first:-1,last:-1};this.pending=null}get scroller(){return this.querySelector("\
.scroller")}range(t){let e=rs(t),s=this.cursor>=0?this.model.place(this.cursor):-1;return s<0||e.includes(s)||!this.contains(document.activeElement)?e:s<(e[0]??
0)?[s,...e]:[...e,s]}updated(){this.carryOut(),this.tellSeen(),vi(this,this.query)}tellSeen(){let t=this.virtual.range;!t||this.model.path.length===0||(this.model.
want(t.startIndex-10,t.endIndex+10),!(t.startIndex===this.seen.first&&t.endIndex===this.seen.last)&&(this.seen={first:t.startIndex,last:t.endIndex},this.dispatchEvent(
new CustomEvent("seen",{detail:this.seen}))))}get isAtEnd(){let t=this.scroller;return t!==null&&t.scrollHeight-t.scrollTop-t.clientHeight<Zn}scrollToEnd(){this.
virtual.scrollTo(this.model.path.length-1,"end")}show(t,e={}){let s=this.model.callerOf(t),r=this.model.nearest(s??t);if(r<0)return;let o=e.align??"center";this.
virtual.scrollTo(r,o),this.pending={at:t,focus:e.focus??!1,align:o},this.requestUpdate()}scrollToPlace(t){this.virtual.scrollTo(Math.max(0,Math.min(this.model.path.
length-1,t)),"start")}scrollByPage(t){let e=this.scroller;e?.scrollBy({top:t*(e.clientHeight-60)})}carryOut(){if(!this.pending)return;let{at:t,focus:e,align:s}=this.
pending,r=this.model.row(t),o=this.model.callerOf(t),a=this.rowElement(o??t);!r||!a||a.classList.contains("is-empty")||(this.pending=null,(o!==null||this.query)&&
xi(a,this.query,o===null?null:t),this.virtual.scrollTo(this.model.place(o??t),o===null?s:"start"),e&&a.focus({preventScroll:!0}))}rowElement(t){return this.querySelector(
`.rows > .slot > [data-at="${t}"]`)}isFolded(t){let e=this.model.row(t)?.isFolded??!1;return(this.foldsAll||e)!==this.flipped.has(t)}fold(t){this.flipped.delete(
t)||this.flipped.add(t),this.requestUpdate()}foldAll(t){this.foldsAll=t,this.flipped.clear(),this.requestUpdate()}get isAllFolded(){return this.foldsAll}step(t,e){
let s=this.model.nearest(t)+e;for(;s>=0&&s<this.model.path.length;){let r=this.model.path[s];if(!this.model.isMerged(r))return r;s+=e}return null}firstSeen(){let t=this.
scroller?.getBoundingClientRect().top??0;for(let e of this.querySelectorAll(".rows > .slot > article"))if(e.getBoundingClientRect().top>=t-4)return Number(e.dataset.
at);return this.model.path[0]??0}isAgain(t){let e=t-1;for(;e>=0&&this.model.isMerged(this.model.path[e]);)e-=1;let s=r=>r===void 0?void 0:this.model.row(r)?.kind;
return s(this.model.path[t])==="assistant"&&s(this.model.path[e])==="assistant"}item(t){let e=this.model.path[t],s=this.model.row(e);return s?this.model.isMerged(
e)?Ai(t,e):Re(this.model,s,{place:t,isCursor:e===this.cursor,isFolded:this.isFolded(e),isHit:this.hits.has(e),isAgain:this.isAgain(t)}):Ti(t,e)}render(){if(this.
isPrinting)return this.printed();let t=this.virtual.items,e=this.model.path.length===0,s=r=>({transform:`translateY(${r}px)`});return h`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.
cursor<0?0:-1}>
      ${e?h`<p class="empty">${this.model.filter==="all"?"This session has no entries.":"No entry of this branch passes the filter."}</p>`:m}
      <div class="rows" style=${P({height:`${this.virtual.total}px`})}>
        ${Ut(t,r=>r.key,r=>h`<div class="slot" data-index=${r.index} style=${P(s(r.start))}>${this.item(r.index)}</div>`)}
      </div>
    </div>`}printed(){let t=[...this.model.path.subarray(0,hs)],e=this.model.path.length-t.length;return h`<div class="rows is-printed">${t.map((s,r)=>this.item(
r))}
      ${e>0?h`<p class="muted">${e} more entries are not printed.</p>`:m}</div>`}};u([y({attribute:!1})],Q.prototype,"model",2),u([y({attribute:!1})],Q.prototype,
"cursor",2),u([y({attribute:!1})],Q.prototype,"query",2),u([y({attribute:!1})],Q.prototype,"hits",2),u([y({attribute:!1})],Q.prototype,"version",2),u([b()],Q.prototype,
"isPrinting",2),Q=u([k("pt-conversation")],Q);var _i=.05,Jn=6,jt=class extends E{constructor(){super(...arguments);this.offsetX=0;this.offsetY=0;this.scale=1;this.pointers=new Map;this.moved=0;this.fittedTo=
"";this.wheeled=t=>{t.preventDefault();let e=this.frame;t.ctrlKey||t.metaKey||!t.shiftKey?this.zoom(Math.exp(-t.deltaY/500),t.clientX-e.left,t.clientY-e.top):this.
pan(-t.deltaY,0)};this.grabbed=t=>{this.pointers.set(t.pointerId,{x:t.clientX,y:t.clientY}),this.moved=0};this.dragged=t=>{let e=this.pointers.get(t.pointerId);
if(!e)return;let s=[...this.pointers].filter(([a])=>a!==t.pointerId),r={x:t.clientX,y:t.clientY};this.pointers.set(t.pointerId,r),this.moved+=Math.abs(r.x-e.x)+
Math.abs(r.y-e.y);let o=s[0]?.[1];if(o){let[a,l]=[Math.hypot(e.x-o.x,e.y-o.y),Math.hypot(r.x-o.x,r.y-o.y)],c=this.frame;this.zoom(l/Math.max(1,a),(r.x+o.x)/2-c.
left,(r.y+o.y)/2-c.top)}else this.pan(r.x-e.x,r.y-e.y)};this.released=t=>{this.pointers.delete(t.pointerId)};this.clicked=t=>{this.moved>6&&t.preventDefault()};
this.pressed=t=>{if(t.ctrlKey||t.metaKey||t.altKey)return;let s={"+":()=>this.zoom(1.25),"=":()=>this.zoom(1.25),"-":()=>this.zoom(.8),0:()=>this.fit(!0),ArrowLeft:()=>this.
pan(60,0),ArrowRight:()=>this.pan(-60,0),ArrowUp:()=>this.pan(0,60),ArrowDown:()=>this.pan(0,-60)}[t.key];s&&(t.preventDefault(),t.stopPropagation(),s())};this.
focused=t=>{let e=t.target;if(!e.matches("a"))return;let s=e.getBoundingClientRect(),r=this.frame;(s.left<r.left||s.right>r.right)&&this.pan(r.left+r.width/2-(s.
left+s.right)/2,0),(s.top<r.top||s.bottom>r.bottom)&&this.pan(0,r.top+r.height/2-(s.top+s.bottom)/2)}}legend(){return h``}updated(t){let{width:e,height:s}=this.
size,r=`${e} ${s}`;e>0&&r!==this.fittedTo&&(this.fittedTo=r,this.fit())}get frame(){return this.querySelector("svg.canvas")?.getBoundingClientRect()??new DOMRect(
0,0,1,1)}fit(t=!1){let{width:e,height:s}=this.size,r=this.frame,o=Math.min(r.width/e,r.height/s)*.96;this.scale=Math.max(t?_i:.45,Math.min(1.25,o)),this.offsetX=
Math.max(16,(r.width-e*this.scale)/2),this.offsetY=Math.max(16,(r.height-s*this.scale)/2),this.place()}place(){this.querySelector("svg.canvas > g")?.setAttribute(
"transform",`translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`)}zoom(t,e=this.frame.width/2,s=this.frame.height/2){let r=Math.max(_i,Math.min(Jn,
this.scale*t));this.offsetX=e-(e-this.offsetX)*r/this.scale,this.offsetY=s-(s-this.offsetY)*r/this.scale,this.scale=r,this.place()}pan(t,e){this.offsetX+=t,this.
offsetY+=e,this.place()}render(){return h`<div class="graph" @keydown=${this.pressed}>
      <div class="graph-bar">
        <button class="quiet" aria-label="Zoom in" title="Zoom in (+)" @click=${()=>this.zoom(1.25)}>+</button>
        <button class="quiet" aria-label="Zoom out" title="Zoom out (−)" @click=${()=>this.zoom(.8)}>−</button>
        <button class="quiet" title="Show all of it (0)" @click=${()=>this.fit(!0)}>Fit</button>
        ${this.legend()}
      </div>
      <svg class="canvas" role="group" aria-label=${this.name} @wheel=${this.wheeled} @pointerdown=${this.grabbed} @pointermove=${this.dragged}
        @pointerup=${this.released} @pointercancel=${this.released} @pointerleave=${this.released} @click=${this.clicked} @focusin=${this.focused}>
        <g>${I`${this.drawing()}`}</g>
      </svg>
      <details class="in-words"><summary>${this.name} in words</summary>${this.inWords()}</details>
    </div>`}};var Ce=230,ae=44,cs=60,tr=16,le=class extends jt{get placed(){let i=this.model.facts?.family??[],t=new Set(i.map(a=>a.key)),e=i.filter(a=>a.parentKey===null||!t.
has(a.parentKey)),s=new Map,r=0,o=(a,l)=>{if(s.has(a.key))return;s.set(a.key,{member:a,depth:l,x:16+l*(Ce+cs),y:16+r*(ae+tr)}),i.filter(p=>p.parentKey===a.key).
forEach((p,d)=>{d>0&&(r+=1),o(p,l+1)})};for(let a of e)o(a,0),r+=1;return s}get name(){return`Family of ${this.model.facts?.family.length??0} sessions`}get size(){
let i=[...this.placed.values()];return{width:Math.max(0,...i.map(({x:t})=>t+Ce+16)),height:Math.max(0,...i.map(({y:t})=>t+ae+16))}}link(i){return A(i.key)}box({
member:i,x:t,y:e}){let s=i.subagentOf?"sub-agent":i.parentKey?"fork":"first session",r=i.at===null||i.at===void 0?"":` at entry ${i.at}`;return I`<a href=${this.
link(i)} class=${`family-box ${i.isSelf?"is-self":""} ${i.subagentOf?"is-subagent":""}`}>
      <rect x=${t} y=${e} width=${Ce} height=${ae} rx="6"></rect>
      <text x=${t+12} y=${e+19}>${_(i.title,27)}</text>
      <text class="small" x=${t+12} y=${e+35}>${i.isSelf?`this session, ${s}`:`${s}${r}`}</text>
    </a>`}drawing(){let i=this.placed,t=[...i.values()].map(({member:e,x:s,y:r})=>{let o=e.parentKey===null?void 0:i.get(e.parentKey);if(!o)return I``;let[a,l,c]=[
o.x+Ce,o.y+ae/2,r+ae/2];return I`<path class=${e.subagentOf?"family-line is-subagent":"family-line"} d=${`M${a} ${l} C${a+cs/2} ${l}, ${s-cs/2} ${c}, ${s} ${c}`}></path>`});
return I`${t}${[...i.values()].map(e=>this.box(e))}`}inWords(){return h`<ul>${[...this.placed.values()].map(({member:i,depth:t})=>h`<li>
      <a href=${this.link(i)}>${i.title}</a> ${i.isSelf?"(this session)":""} ${t===0?"the first":i.subagentOf?"sub-agent":"fork"}${i.parentKey?` of ${this.placed.
get(i.parentKey)?.member.title??"a session that is not here"}`:""}
    </li>`)}</ul>`}};u([y({attribute:!1})],le.prototype,"model",2),le=u([k("pt-family")],le);var G=class extends E{constructor(){super(...arguments);this.query="";this.cursor=-1;this.ats=[];this.total=0;this.current=-1;this.isBusy=!1;this.hasEntry=!1;this.
asked="";this.typed=rt(160,t=>w(this.ask(t,!0)));this.pressed=t=>{if(t.key==="Enter")this.step(t.shiftKey?-1:1);else if(t.key==="Escape")t.target.blur(),this.dispatchEvent(
new Event("close-find"));else return;t.preventDefault(),t.stopPropagation()}}focusField(){let t=this.querySelector("input");t?.focus(),t?.select()}willUpdate(t){
t.has("query")&&this.query!==this.asked&&w(this.ask(this.query,!this.hasEntry))}async ask(t,e){this.asked=t,this.isBusy=t!=="";let s=t===""?{total:0,hits:[]}:await this.
model.source.find(this.model.key,t);this.asked===t&&(this.isBusy=!1,this.ats=s.hits.map(r=>r.at).sort((r,o)=>r-o),this.total=s.total,this.current=-1,ut(t===""?"":
R(s.total,"match","matches")),this.dispatchEvent(new CustomEvent("found",{detail:{query:t,hits:new Set(this.ats)}})),e&&this.step(1,!0))}step(t,e=!1){if(this.ats.
length===0)return;let s=this.current>=0?this.ats[this.current]??-1:e?this.cursor-1:this.cursor,r=t===1?this.ats.findIndex(o=>o>s):this.ats.findLastIndex(o=>o<s);
r<0&&(r=t===1?0:this.ats.length-1),this.current=r,ut(`Match ${r+1} of ${this.total}`),this.dispatchEvent(new CustomEvent("find-at",{detail:this.ats[r]??0}))}status(){
return this.isBusy?"\u2026":this.asked===""?"":this.total===0?"no match":`${S(this.current+1)} of ${S(this.total)}`}render(){return h`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.query}
        @input=${t=>this.typed(t.target.value)} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${()=>this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${()=>this.step(1)}>↓</button>
      ${this.asked===""?m:h`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${()=>this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`}};u([y({attribute:!1})],G.prototype,"model",2),u([y({attribute:!1})],G.prototype,"query",2),u([y({attribute:!1})],G.prototype,"cursor",2),u([b()],G.
prototype,"ats",2),u([b()],G.prototype,"total",2),u([b()],G.prototype,"current",2),u([b()],G.prototype,"isBusy",2),u([y({attribute:!1})],G.prototype,"hasEntry",
2),G=u([k("pt-find")],G);var Oe=50,Mi=4e3,er=3e3,Wt=class{constructor(i,t){this.facts=null;this.marks=[];this.leaf=null;this.filter="all";this.path=new Int32Array;this.failure=null;this.
changed=()=>{};this.kept=new Map;this.callers=new Map;this.loading=new Set;this.lanePaths=new Map;this.loaded=new Set;this.generation=0;this.source=i,this.key=t}async open(i,t){
let e=++this.generation;this.facts??=await this.source.session(this.key);let s=await this.source.path(this.key,i??this.facts.leaf,t);e===this.generation&&this.show(
i??this.facts.leaf,t,s)}async readMarks(){this.marks.length>0||(this.marks=await this.source.marks(this.key),this.changed())}show(i,t,e){this.leaf=i,this.filter=
t,this.path=e,this.loaded=new Set,this.loading.clear(),this.changed()}async refresh(){let i=this.facts,t=await this.source.session(this.key),s=this.leaf===i?.leaf?
t.leaf:this.leaf,[r,o]=await Promise.all([this.source.path(this.key,s,this.filter),this.source.marks(this.key)]),a=r.length-this.path.length;return this.facts=t,
this.marks=o,this.lanePaths.clear(),this.show(s,this.filter,r),a}get hasRows(){return this.kept.size>0||this.path.length===0||this.failure!==null}row(i){return this.
kept.get(i)}isMerged(i){return this.callerOf(i)!==null}callerOf(i){let t=this.callers.get(i);return t!==void 0&&this.place(t)>=0?t:null}want(i,t){for(let e=Math.
max(0,Math.floor((i-8)/Oe));e*Oe<=Math.min(t,this.path.length-1);e+=1)!this.loaded.has(e)&&!this.loading.has(e)&&this.fetchChunk(e)}async fetchChunk(i){let t=this.
generation,e=this.path;this.loading.add(i);try{this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:i*Oe,count:Oe})),this.failure=null}catch(s){
this.failure===null&&N(W(s)),this.failure=s}t!==this.generation||e!==this.path||(this.failure===null?this.loaded.add(i):await new Promise(s=>setTimeout(s,er)),this.
loading.delete(i),this.changed())}keep(i){for(let t of i){this.kept.delete(t.at),this.kept.set(t.at,t);for(let e of t.calls)e.resultAt!==null&&this.callers.set(
e.resultAt,t.at)}if(!(this.kept.size<=Mi)){for(let t of this.kept.keys()){if(this.kept.size<=Mi/2)break;this.kept.delete(t)}this.loaded.clear()}}async loadAll(i){
for(let t=0;t<Math.min(i,this.path.length);t+=200)this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:t,count:200}))}place(i){return Z(
this.path,i)}nearest(i){let t=this.place(i);return t>=0||this.path.length===0?t:Math.min(this.path.length-1,Math.max(0,Ci(this.path,i)-1))}lanePath(i){let t=this.
lanePaths.get(i.leaf)??this.source.path(this.key,i.leaf,"all");return this.lanePaths.set(i.leaf,t),t}async leafFor(i){if(this.place(i)>=0)return this.leaf;for(let t of this.
facts?.lanes??[])if(t.leaf>=i&&Z(await this.lanePath(t),i)>=0)return t.leaf;return null}nextMark(i,t,e){let s=this.marks.filter(o=>o.kind===i&&this.place(o.at)>=
0).map(o=>o.at);return(e===1?s.find(o=>o>t):s.findLast(o=>o<t))??null}};function Ci(n,i){let t=0,e=n.length;for(;t<e;){let s=t+e>>1;(n[s]??0)<i?t=s+1:e=s}return t}
function Z(n,i){let t=Ci(n,i);return n[t]===i?t:sr(n)?-1:n.indexOf(i)}var Ri=new WeakMap;function sr(n){let i=Ri.get(n);return i===void 0&&(i=n.every((t,e)=>e===
0||(n[e-1]??0)<t),Ri.set(n,i)),i}var Oi=46,Pi=24,ir=320,nr=120,rr=150,Ct=class extends jt{constructor(){super(...arguments);this.version=0;this.drawn=[];this.stops=[];this.xs=[];this.loadedAs=""}willUpdate(t){
let{facts:e,marks:s}=this.model,r=`${this.model.key} ${e?.entries} ${s.length}`;!e||r===this.loadedAs||(this.loadedAs=r,w(this.load(e.lanes.slice(0,nr))))}async load(t){
let e=await Promise.all(t.map(o=>this.model.lanePath(o))),s=this.shownMarks(),r=new Set;this.drawn=t.map((o,a)=>{let l=e[a],c=a===0?0:or(l,e.slice(0,a)),p=s.filter(
d=>!r.has(d.at)&&Z(l,d.at)>=c);for(let d of p)r.add(d.at);return{lane:o,path:l,own:c,parent:c===0?-1:e.findIndex(d=>Z(d,l[c-1])>=0),y:30+a*Oi,marks:p}}),this.scaleX()}shownMarks(){
let t=this.model.marks.filter(e=>e.kind==="user").length;return this.model.marks.filter(e=>e.kind!=="branch"&&(e.kind!=="user"||t<=rr)).slice(0,3e3)}scaleX(){let t=new Set(
[0]);for(let{path:s,own:r,marks:o}of this.drawn){t.add(r).add(Math.max(0,r-1)).add(s.length-1);for(let a of o)t.add(Z(s,a.at))}this.stops=[...t].sort((s,r)=>s-r);
let e=Pi;this.xs=this.stops.map((s,r)=>e+=r===0?0:10+9*Math.log2(s-(this.stops[r-1]??0)))}x(t){let e=0,s=this.stops.length-1;for(;e<s;){let r=e+s>>1;(this.stops[r]??
0)<t?e=r+1:s=r}return this.xs[e]??Pi}get name(){return`Tree with ${S(this.drawn.length)} branches`}get size(){return{width:this.drawn.length===0?0:(this.xs.at(-1)??
0)+ir,height:60+this.drawn.length*Oi}}link(t,e){return A(this.model.key,"",{leaf:t.lane.isActive?null:t.lane.leaf,e})}line(t){let{lane:e,path:s,own:r,parent:o,y:a}=t,
l=this.x(Math.max(0,r)),c=this.x(s.length-1),p=this.drawn[o],d=p?`M${this.x(r-1)} ${p.y} C${this.x(r-1)+12} ${a}, ${this.x(r-1)} ${a}, ${Math.max(l,this.x(r-1)+
14)} ${a}`:`M${l} ${a}`,g=_(Nt(e),60);return I`<g class=${`branch-line ${e.isActive?"is-active":""} ${e.leaf===this.model.leaf?"is-shown":""}`}>
      <path d=${`${d} L${c} ${a}`}></path>
      <a href=${this.link(t,e.isActive?e.leaf:e.from??e.leaf)}>
        <circle class="leaf" cx=${c} cy=${a} r="6"></circle>
        <text x=${c+14} y=${a-2}>${g}</text>
        <text class="small" x=${c+14} y=${a+13}>${`${e.isActive?"current, ":""}${S(s.length-r)} entries`}</text>
      </a>
      ${t.marks.map(f=>this.dot(t,f))}${this.labels(t)}
    </g>`}dot(t,e){let s=this.x(Z(t.path,e.at)),r=`${e.kind}: ${_(e.text??`entry ${e.at}`,80)}`;return I`<a href=${this.link(t,e.at)} aria-label=${r} tabindex=${e.
kind==="user"?-1:0}><title>${r}</title>
      <circle class=${`mark is-${e.kind}`} cx=${s} cy=${t.y} r=${e.kind==="user"?3:4.5}></circle></a>`}labels(t){let e=-1/0;return t.marks.filter(({kind:s})=>s===
"label").map(s=>{let r=this.x(Z(t.path,s.at))-4,o=_(s.text??"",20);return r<e?I``:(e=r+o.length*6.2+8,I`<text class="small is-label" aria-hidden="true" x=${r} y=${t.
y-10}>${o}</text>`)})}drawing(){return I`${[...this.drawn].reverse().map(t=>this.line(t))}`}legend(){return h`<span class="legend">${["user","label","compaction",
"error"].map(e=>h`<span class=${`key is-${e}`}>${e==="user"?"user message":e}</span>`)}</span>`}inWords(){return h`<ul>${this.drawn.map(t=>h`<li>
      <a href=${this.link(t,t.lane.leaf)}>${Nt(t.lane)}</a>${t.lane.isActive?" (current)":` (abandoned, leaves the branch above after entry ${S(t.own)})`}: ${S(
t.path.length)} entries.
      ${t.marks.filter(e=>e.kind!=="user").slice(0,40).map(e=>h`<a href=${this.link(t,e.at)}>${e.kind} at ${S(e.at)}${e.text?`: ${_(e.text,60)}`:""}</a> `)}
    </li>`)}</ul>`}};u([y({attribute:!1})],Ct.prototype,"model",2),u([y({attribute:!1})],Ct.prototype,"version",2),u([b()],Ct.prototype,"drawn",2),Ct=u([k("pt-g\
raph")],Ct);function or(n,i){let t=0;for(let e of i){let[s,r]=[t,Math.min(n.length,e.length)];for(;s<r;){let o=s+r>>1;n[o]===e[o]?s=o+1:r=o}t=Math.max(t,s)}return t}var ar=26,he=60,lr=40,Ot=class extends E{constructor(){super(...arguments);this.version=0;this.lanes=[];this.virtual=new X(this,()=>({count:Math.max(0,...this.lanes.
map(({path:t})=>t.length)),scroller:".lanes-scroller",estimate:()=>ar}));this.loadedAs=""}willUpdate(t){let e=this.model.facts,s=`${this.model.key} ${e?.entries}\
 ${e?.leaf}`;e&&(t.has("version")||t.has("model"))&&s!==this.loadedAs&&(this.loadedAs=s,w(this.load(e.lanes.slice(0,lr))))}async load(t){this.lanes=await Promise.
all(t.map(async e=>{let s=await this.model.lanePath(e),r=e.from===null?s.length:Math.max(0,Z(s,e.from));return{lane:e,path:s,own:r,rows:new Map,asked:new Set}}))}updated(){
let t=this.virtual.range;if(t)for(let e of this.lanes)for(let s=Math.floor(t.startIndex/he);s<=Math.floor(t.endIndex/he);s+=1)w(this.fetch(e,s))}async fetch(t,e){
if(t.asked.has(e)||e*he>=t.path.length)return;t.asked.add(e);let s={leaf:t.lane.leaf,filter:"all",from:e*he,count:he,brief:!0};for(let r of await this.model.source.
rows(this.model.key,s))t.rows.set(r.at,r);this.requestUpdate()}toFork(t){this.virtual.scrollTo(Math.max(0,t.own-3),"start")}heading(t){let{lane:e,path:s,own:r}=t,
o=e.leaf===this.model.leaf;return h`<section class=${e.isActive?"lane-head is-active":"lane-head"} aria-label=${Nt(e)}>
      <h2><a href=${A(this.model.key,"",{leaf:e.isActive?null:e.leaf,e:e.isActive?e.leaf:e.from??e.leaf})} aria-current=${o?"true":m}>${_(Nt(e),90)}</a></h2>
      <p class="muted">${e.isActive?h`<span class="chip is-current">current</span>`:h`<span class="chip">abandoned</span>`}
        ${S(s.length)} entries, ${S(s.length-r)} its own · ${pt(e.lastTime)}</p>
      ${e.summary?h`<p class="lane-summary" title=${e.summary}>${_(e.summary,180)}</p>`:m}
      ${r>0&&r<s.length?h`<button class="quiet" @click=${()=>this.toFork(t)}>To the fork at ${S(r+1)}</button>`:m}
    </section>`}cell(t,e){let s=t.path[e];if(s===void 0)return h`<div class="lane-cell is-none"></div>`;let r=t.rows.get(s),o=e>=t.own||t.lane.isActive,a=["lane\
-cell",`is-${r?.kind??"empty"}`,o?"":"is-shared",e===t.own&&e>0?"is-fork":"",r?.isError?"is-failed":""],l=A(this.model.key,"",{leaf:t.lane.isActive?null:t.lane.
leaf,e:s});return h`<a class=${a.filter(Boolean).join(" ")} href=${l} tabindex=${o?0:-1}>
      <span class="dot" aria-hidden="true"></span>${r?.label?h`<span class="chip is-label">${r.label}</span>`:m}<span class="tree-text">${r?_(r.summary,120)||r.
who:"\u2026"}</span></a>`}render(){let t=this.virtual.items,e=t[0]?.start??0,s=(this.model.facts?.lanes.length??0)-this.lanes.length;return h`<div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${P({"--lanes":String(Math.max(1,this.lanes.length))})}>
        <div class="lane-heads">${this.lanes.map(r=>this.heading(r))}</div>
        <div class="lane-rows" style=${P({height:`${this.virtual.total}px`})}>
          <div class="lane-window" style=${P({transform:`translateY(${e}px)`})}>
            ${t.map(r=>h`<div class="lane-row">${this.lanes.map(o=>this.cell(o,r.index))}</div>`)}
          </div>
        </div>
      </div>
      ${s>0&&this.lanes.length>0?h`<p class="muted">${R(s,"more branch","more branches")}: see the graph.</p>`:m}
    </div>`}};u([y({attribute:!1})],Ot.prototype,"model",2),u([y({attribute:!1})],Ot.prototype,"version",2),u([b()],Ot.prototype,"lanes",2),Ot=u([k("pt-lanes")],
Ot);var hr={user:{from:.1,to:.45,color:"--user",height:2},branch:{from:.5,to:.62,color:"--branch",height:3},label:{from:.62,to:.78,color:"--label",height:3},compaction:{
from:0,to:1,color:"--compaction",height:2},error:{from:.8,to:1,color:"--error",height:3}},gt=class extends E{constructor(){super(...arguments);this.version=0;this.
seen={first:0,last:0};this.hits=new Set;this.marksDrawn=[];this.observer=new ResizeObserver(()=>this.redraw());this.scheme=matchMedia("(prefers-color-scheme: da\
rk)");this.redraw=()=>{this.marksDrawn=[],this.requestUpdate()};this.dragged=t=>{if(t.buttons!==1)return;let e=this.getBoundingClientRect(),s=this.seen.last-this.
seen.first;this.go(Math.round((t.clientY-e.top)/e.height*this.model.path.length-s/2))};this.grabbed=t=>{t.currentTarget.setPointerCapture(t.pointerId),this.dragged(
t)};this.pressed=t=>{let e=Math.max(1,Math.round(this.model.path.length/20)),r={ArrowDown:1,ArrowUp:-1,PageDown:e,PageUp:-e,Home:-1/0,End:1/0}[t.key];r!==void 0&&
(t.preventDefault(),t.stopPropagation(),this.go(Math.max(0,Math.min(this.model.path.length-1,this.seen.first+r))))}}connectedCallback(){super.connectedCallback(),
this.observer.observe(this),this.scheme.addEventListener("change",this.redraw),window.addEventListener("theme",this.redraw)}disconnectedCallback(){super.disconnectedCallback(),
this.observer.disconnect(),this.scheme.removeEventListener("change",this.redraw),window.removeEventListener("theme",this.redraw)}updated(){this.drawMarks(),this.
drawWindow()}drawMarks(){let{path:t,marks:e}=this.model,s=[t,e,this.hits,this.clientHeight,this.clientWidth],r=this.querySelector("canvas"),o=r?.getContext("2d");
if(s.every((v,$)=>v===this.marksDrawn[$])||!r||!o)return;this.marksDrawn=s;let a=window.devicePixelRatio,[l,c]=[this.clientWidth,this.clientHeight];r.width=l*a,
r.height=c*a,o.setTransform(a,0,0,a,0,0);let p=new Map,d=v=>{let $=p.get(v);return $!==void 0?$:(r.style.color=`var(${v})`,p.set(v,getComputedStyle(r).color),p.
get(v)??"")},g=c/Math.max(1,this.model.path.length),f=(v,$,O=6)=>{let M=this.model.place(v);M<0||(o.fillStyle=d($.color),o.fillRect($.from*l,M*g,($.to-$.from)*l,
Math.max($.height,Math.min(g,O))))};for(let v of this.model.marks)f(v.at,hr[v.kind]);for(let v of this.hits)f(v,{from:0,to:1,color:"--hit-strong",height:1.5},1.5)}drawWindow(){
let t=this.querySelector(".window");if(!t)return;let e=this.clientHeight/Math.max(1,this.model.path.length);t.style.top=`${this.seen.first*e}px`,t.style.height=
`${Math.max(6,(this.seen.last-this.seen.first+1)*e)}px`}go(t){this.dispatchEvent(new CustomEvent("go-place",{detail:t}))}render(){let t=this.model.path.length,e=Math.
max(0,this.seen.first)+1;return h`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1,
t)}
      aria-valuenow=${e} aria-valuetext="Entry ${S(e)} of ${S(t)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`}};u([y({attribute:!1})],gt.prototype,"model",2),u([y({attribute:!1})],gt.prototype,"v\
ersion",2),u([y({attribute:!1})],gt.prototype,"seen",2),u([y({attribute:!1})],gt.prototype,"hits",2),gt=u([k("pt-minimap")],gt);var us=50,J=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.reply=null;this.next=null;this.failure="";this.loadedAs=""}willUpdate(t){
let e=`${this.model.key} ${this.model.leaf} ${this.at}`;e===this.loadedAs||this.model.path.length===0||(this.loadedAs=e,w(this.load()))}async load(){let t=this.
at===null?this.model.path.length-1:this.model.nearest(this.at),e=await this.find(t,-1)??await this.find(t,1);if(this.reply=e,!e){this.failure="There is no reply\
 on this branch.";return}try{this.facts=await this.model.source.request(this.model.key,e.at),this.failure=""}catch(s){this.failure=W(s)}this.next=(await this.find(
this.model.place(e.at)+1,1))?.at??null}async find(t,e){for(let s=t;s>=0&&s<this.model.path.length;s+=e*us){let r=e===1?s:Math.max(0,s-us+1),o=e===1?us:s-r+1,a=await this.
model.source.rows(this.model.key,{leaf:this.model.leaf,filter:this.model.filter,from:r,count:o,brief:!0}),l=e===1?a.find(Li):a.findLast(Li);if(l)return l}return null}link(t){
return A(this.model.key,"request",{leaf:this.model.leaf===this.model.facts?.leaf?null:this.model.leaf,e:t})}step(t,e){return e===null?h`<span class="button is-disabled">${t}</span>`:
h`<a class="button" href=${this.link(e)}>${t}</a>`}cacheBreak(t){if(t.previous===null)return h`<p class="notice">This is the first request, so nothing was cached before it.</p>`;
if(!t.cacheBreak)return h`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;let{message:e,path:s}=t.
cacheBreak;return h`<p class="notice is-bad">The cached prefix broke at message ${e}: <code>${s}</code></p>`}copy(t){let e=typeof t.body=="string"?t.body:Y(t.body).
textContent??"";w(dt(e).then(()=>N("Request copied")))}render(){let{facts:t,reply:e}=this;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("\u2039 Previous",t?.previous??null)} ${this.step("Next \u203A",this.next)}
        ${e?h`<p><a href=${A(this.model.key,"",{e:e.at})}>Reply</a> <span class="muted">${_(e.summary,120)}</span></p>`:m}
        ${t?h`<button class="quiet" @click=${()=>this.copy(t)}>Copy the request</button>`:m}
      </div>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:m}
      ${t&&!this.failure?h`${this.cacheBreak(t)}
        <div class="columns is-request">
          <section class="card"><h2>Difference to the request before</h2>${t.previous===null||!t.difference||t.difference.length===0?h`<p class="muted">None.</p>`:
Y(t.difference)}</section>
          <section class="card"><h2>Request${t.model?h` to <code>${t.model}</code>`:m}</h2>${Y(t.body)}</section>
        </div>`:m}
    </div>`}};u([y({attribute:!1})],J.prototype,"model",2),u([y({attribute:!1})],J.prototype,"at",2),u([b()],J.prototype,"facts",2),u([b()],J.prototype,"reply",
2),u([b()],J.prototype,"next",2),u([b()],J.prototype,"failure",2),J=u([k("pt-request")],J);function Li(n){return n.kind==="assistant"}var Ii=100,Pt=class extends E{constructor(){super(...arguments);this.model=null;this.toggled=t=>{t.currentTarget.open&&this.model===null&&w(this.load())}}async load(){
let t=new Wt(this.source,this.member.key);await t.open(null,"all"),await t.loadAll(Ii),this.model=t}render(){let t=[...this.model?.path.subarray(0,Ii)??[]].filter(
e=>!this.model?.isMerged(e));return h`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      <p><a href=${A(this.member.key)}>Open this session</a></p>
      ${this.model?t.map((e,s)=>this.row(e,s)):h`<p class="muted">Loading…</p>`}
    </details>`}row(t,e){let s=this.model?.row(t);return!s||!this.model?m:Re(this.model,s,{place:e,isCursor:!1,isFolded:!1,isHit:!1,isNested:!0})}};u([y({attribute:!1})],
Pt.prototype,"source",2),u([y({attribute:!1})],Pt.prototype,"member",2),u([b()],Pt.prototype,"model",2),Pt=u([k("pt-subagent")],Pt);var cr=24,ce=100,ur=14,tt=class extends E{constructor(){super(...arguments);this.filter="default";this.cursor=-1;this.version=0;this.total=0;this.active=-1;this.
rows=new Map;this.pages=new Set;this.places=new Map;this.virtual=new X(this,()=>({count:this.total,scroller:".tree-scroller",estimate:()=>cr,overscan:10}));this.
shownAs="";this.followed=-1;this.generation=0;this.pressed=t=>{let s={ArrowDown:1,j:1,ArrowUp:-1,k:-1,PageDown:20,PageUp:-20,Home:-this.total,g:-this.total,End:this.
total,G:this.total}[t.key];if(t.key==="Enter"||t.key===" ")this.choose(this.active);else if(s!==void 0)this.move(Math.max(0,Math.min(this.total-1,this.active+s)));else if(t.
key==="ArrowLeft"||t.key==="ArrowRight")this.toBranch(t.key==="ArrowLeft"?-1:1);else return;t.preventDefault(),t.stopPropagation()}}willUpdate(t){let e=this.model.
facts,s=`${this.model.key} ${e?.entries} ${e?.leaf} ${this.filter}`;if(e&&this.model.hasRows&&s!==this.shownAs){let r=!this.shownAs.startsWith(`${this.model.key}\
 `)||!this.shownAs.endsWith(this.filter);this.shownAs=s,this.forget(r),w(this.load(0))}!this.model.hasRows||!t.has("cursor")&&this.followed===this.cursor||(this.
followed=this.cursor,w(this.follow()))}forget(t){this.generation+=1,this.pages.clear(),this.places.clear(),t&&(this.rows=new Map)}updated(){let t=this.virtual.range;
if(!(!t||this.total===0))for(let e=Math.floor(t.startIndex/ce);e<=Math.floor(t.endIndex/ce);e+=1)w(this.load(e))}async load(t){if(this.pages.has(t))return;let e=this.
generation;this.pages.add(t);let s=await this.model.source.tree(this.model.key,{from:t*ce,count:ce,filter:this.filter});e===this.generation&&this.keep(s.from,s.
rows,s.total)}keep(t,e,s){e.forEach((r,o)=>{this.rows.set(t+o,r),this.places.set(r.at,t+o)}),this.total=s,this.requestUpdate()}async follow(){if(this.cursor<0)return;
if(!this.places.has(this.cursor)){let s=this.generation,r=await this.model.source.tree(this.model.key,{count:Math.min(ce,200),filter:this.filter,at:this.cursor});
s===this.generation&&this.keep(r.from??0,r.rows,r.total)}let t=this.places.get(this.cursor)??this.nearest(this.cursor);if(t===void 0)return;this.active=t;let e=this.
virtual.range;(!e||t<=e.startIndex||t>=e.endIndex)&&this.virtual.scrollTo(t,"center")}nearest(t){let e=-1;for(let[s]of this.places)s<t&&s>e&&(e=s);return this.places.
get(e)}choose(t){let e=this.rows.get(t);e&&(this.active=t,this.dispatchEvent(new CustomEvent("choose",{detail:e.at,bubbles:!0})))}toBranch(t){for(let e=this.active+
t;this.rows.has(e);e+=t)if((this.rows.get(e)?.children??0)>1)return this.move(e)}move(t){this.active=t,this.virtual.scrollTo(t)}line(t,e){let s=this.rows.get(t),
r=t===this.active,o={transform:`translateY(${e}px)`,"--depth":String(Math.min(s?.depth??0,ur))};if(!s)return h`<div class="tree-row" role="treeitem" aria-level="1" style=${P(
o)}><span class="muted">…</span></div>`;let a=["tree-row",`is-${s.role??s.kind}`,s.active?"is-active":"is-abandoned",r?"is-here":"",r?"is-focus":"",s.isError?
"is-failed":""];return h`<div
      class=${a.filter(Boolean).join(" ")} id="tree-${s.at}" role="treeitem" aria-level=${s.depth+1} aria-selected=${s.at===this.cursor?"true":"false"}
      aria-setsize=${this.total} aria-posinset=${t+1} data-at=${s.at} style=${P(o)} @click=${()=>this.choose(t)}
    ><span class="dot" aria-hidden="true"></span>${s.label===null||s.label===void 0?m:h`<span class="chip is-label">${s.label}</span>`}<span class="tree-text">${_(
s.text,120)||s.kind}</span>${s.children>1?h`<span class="branches" title="Branches here">${s.children}</span>`:m}${s.isLeaf?h`<span class="chip">current</span>`:
m}</div>`}render(){let t=this.virtual.items,e=this.rows.get(this.active);return h`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${e?
`tree-${e.at}`:m} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${P({height:`${this.virtual.total}px`})}>
        ${Ut(t,s=>s.key,s=>this.line(s.index,s.start))}
      </div>
    </div>`}};u([y({attribute:!1})],tt.prototype,"model",2),u([y({attribute:!1})],tt.prototype,"filter",2),u([y({attribute:!1})],tt.prototype,"cursor",2),u([y({
attribute:!1})],tt.prototype,"version",2),u([b()],tt.prototype,"total",2),u([b()],tt.prototype,"active",2),tt=u([k("pt-tree")],tt);var ds=[{keys:["j","ArrowDown"],shown:"j \u2193",does:"next message",action:"down"},{keys:["k","ArrowUp"],shown:"k \u2191",does:"previous message",action:"up"},
{keys:[" ","PageDown"],shown:"Space PgDn",does:"a page down",action:"pageDown"},{keys:["PageUp"],shown:"PgUp",does:"a page up",action:"pageUp"},{keys:["g","Home"],
shown:"g Home",does:"to the beginning",action:"first"},{keys:["G","End"],shown:"G End",does:"to the end",action:"last"},{keys:["]"],shown:"]",does:"next message\
 of the user",action:"nextUser"},{keys:["["],shown:"[",does:"previous message of the user",action:"previousUser"},{keys:["}"],shown:"}",does:"next error",action:"\
nextError"},{keys:["{"],shown:"{",does:"previous error",action:"previousError"},{keys:["/"],shown:"/",does:"find in this session",action:"find"},{keys:["n"],shown:"\
n",does:"next match",action:"findNext"},{keys:["N"],shown:"N",does:"previous match",action:"findPrevious"},{keys:["o","Enter"],shown:"o Enter",does:"fold or unf\
old the message",action:"fold"},{keys:["O"],shown:"O",does:"fold or unfold all messages",action:"foldAll"},{keys:["y"],shown:"y",does:"copy the message",action:"\
copy"},{keys:["Y"],shown:"Y",does:"copy its code block",action:"copyCode"},{keys:["L"],shown:"L",does:"copy a link to the message",action:"link"},{keys:["l"],shown:"\
l",does:"set a label (with --allow-edit)",action:"label"},{keys:["r"],shown:"r",does:"the request for this reply",action:"request"},{keys:["t"],shown:"t",does:"\
to the tree, and back",action:"tree"},{keys:["q"],shown:"q",does:"back to the sessions",action:"leave"}],Fi=[{title:"Conversation",rows:ds.map(({shown:n,does:i})=>[
n,i])},{title:"Everywhere",rows:[["Ctrl+K \u2318K","sessions, views and commands"],["1 \u2026 6","views of a session"],["?","this help"],["Esc","close, or leave\
 a field"]]},{title:"Sessions",rows:[["/","search"],["j \u2193","next session"],["k \u2191","previous session"],["Enter","open it"]]},{title:"Tree",rows:[["j \u2193 \
k \u2191","move"],["\u2190 \u2192","to the previous or next branch point"],["Enter","show the entry"],["t","back to the conversation"]]},{title:"Lanes, graphs a\
nd charts",rows:[["Tab","to the next part"],["\u2190 \u2192 \u2191 \u2193","move, or pan"],["+ \u2212","zoom a graph"],["0","show all of a graph"],["Enter","ope\
n what is selected"]]}];function Lt(n){let i=n.target;return i!==null&&(i.isContentEditable||/^(?:INPUT|TEXTAREA|SELECT)$/.test(i.tagName))}function Hi(n){let i=n.
target;return i!==null&&i.closest("button, a[href], summary, [role=slider], [role=tree]")!==null}function Le(n){try{return localStorage.getItem(`pitree-${n}`)}catch{return null}}function Ie(n,i){try{localStorage.setItem(`pitree-${n}`,i)}catch{}}var Fe=["all","no-tools","user","labeled"];var dr={default:"",all:"Everything","no-tools":"Without tools",user:"User only",labeled:"Labeled only"};function qi(n,i,t){let e={leaf:n.route.parameters.get("l\
eaf"),e:n.cursor>=0?n.cursor:null};return h`<div class="session-head">
    <div class="title-line">
      ${n.source.hasList?h`<a class="back" href=${C("sessions")} aria-label="All sessions">‹</a>`:m}
      <h1 title=${t.title}>${t.title}</h1>
      ${t.isLive?h`<span class="live" title="Something was written a moment ago">live</span>`:m}
      <p class="facts">${mr(t).map(([s,r])=>h`<span title=${r}>${s}</span>`)}${fr(t)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${ot.filter(({tab:s})=>n.source.tabs.has(s)).map(({tab:s,name:r})=>h`<a href=${A(i.key,s,e)} aria-current=${s===n.route.tab?"page":m}>${r}${pr(s,t)}</a>`)}
    </nav>
  </div>`}function pr(n,i){let t=n==="lanes"?i.lanes.length:n==="family"?i.family.length:0;return t>1?h` <span class="badge">${t}</span>`:m}function mr(n){return[
[V(n.cwd),n.cwd],[pt(n.modified),At(n.modified)],[R(n.entries,"entry","entries"),""],[`${F(n.tokens??0)} tokens`,S(n.tokens??0)],[Tt(n.cost??null),"Recorded cos\
t"]]}function fr(n){return h`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${n.path}</code></dd><dt>Id</dt><dd><code>${n.id}</code></dd><dt>Created</dt><dd>${At(n.created)}</dd>
    ${n.facts.map(([i,t])=>h`<dt>${i}</dt><dd>${t}</dd>`)}
  </dl></details>`}function Ni(n,i){return h`${vr(n,i)}
    <div class=${n.showsTree?"panes has-tree":"panes"}>
      ${n.showsTree?h`<pt-tree .model=${i} .filter=${i.filter==="all"?"default":i.filter} .cursor=${n.cursor} .version=${n.version}
        @choose=${t=>{n.goTo(t.detail,{push:!0})}}></pt-tree>`:m}
      <pt-conversation .model=${i} .cursor=${n.cursor} .query=${n.findText} .hits=${n.hits} .version=${n.version}
        @row-action=${n.rowAction} @click=${t=>yr(n,t)} @seen=${t=>gr(n,t.detail)}></pt-conversation>
      <pt-minimap .model=${i} .version=${n.version} .seen=${n.seen} .hits=${n.hits}
        @go-place=${t=>n.conversation?.scrollToPlace(t.detail)}></pt-minimap>
      ${n.newRows>0?h`<button class="new-rows" @click=${()=>n.toNewest()}>${R(n.newRows,"new entry","new entries")} ↓</button>`:m}
    </div>`}function gr(n,i){n.seen=i,i.last>=(n.model?.path.length??0)-1&&(n.newRows=0)}function yr(n,i){let t=i.target,e=t.closest(".slot > article");!e||t.closest(
"a, button")||!getSelection()?.isCollapsed||(n.cursor=Number(e.dataset.at),n.noteCursor(n.cursor))}function vr(n,i){let t=i.facts?.lanes.find(e=>e.leaf===i.leaf);
return h`<div class="toolbar">
    <button class="quiet" aria-pressed=${n.showsTree?"true":"false"} title="Tree (t)" @click=${()=>n.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${e=>n.setFilter(e.target.value)}>
        ${Fe.map(e=>h`<option value=${e} ?selected=${e===i.filter}>${dr[e]}</option>`)}
      </select></label>
    <span class="spacer">${t&&!t.isActive?h`<span class="chip">abandoned branch</span> <a href=${A(i.key)}>Show the current one</a>`:m}</span>
    <pt-find .model=${i} .query=${n.findText} .hasEntry=${n.route.parameters.has("e")} .cursor=${n.cursor}
      @found=${e=>n.setFound(e.detail.query,e.detail.hits)}
      @find-at=${e=>{n.goTo(e.detail)}} @close-find=${()=>br(n)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${()=>n.conversation?.foldAll(!n.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${()=>n.print()}>Print</button>
  </div>`}function br(n){n.setFound("",new Set),n.conversation?.show(n.cursor,{focus:!0,align:"auto"})}async function Di(n,i){N("Preparing the pages\u2026"),await i.loadAll(hs),await $r(n),window.print(),await ps(n)}async function ps(n){n.isPrinting&&(n.isPrinting=
!1,await n.updateComplete,n.show(n.cursor,{align:"center"}))}async function $r(n){n.isPrinting=!0,await n.updateComplete}var H=class extends E{constructor(){super(...arguments);this.model=null;this.version=0;this.cursor=-1;this.seen={first:0,last:0};this.hits=new Set;this.findText=
"";this.newRows=0;this.showsTree=Le("tree")!=="no"&&innerWidth>760;this.failure="";this.openedAs="";this.isFollowing=!1;this.noteCursor=rt(300,t=>{this.isConnected&&
this.route.tab===""&&this.cursor===t&&L(Bt(this.route,{e:t}),!0)});this.printing=()=>{this.conversation&&(this.conversation.isPrinting=!0)};this.printed=()=>{this.
conversation&&w(ps(this.conversation))};this.rowAction=t=>this.act(t.detail.action,t.detail.at);this.actions={down:()=>this.moveTo(this.conversation?.step(this.
cursor,1)??null),up:()=>this.moveTo(this.conversation?.step(this.cursor,-1)??null),pageDown:()=>this.page(1),pageUp:()=>this.page(-1),first:()=>this.moveTo(this.
model?.path[0]??null,"start"),last:()=>this.moveTo(this.lastShown(),"center"),nextUser:()=>this.toMark("user",1),previousUser:()=>this.toMark("user",-1),nextError:()=>this.
toMark("error",1),previousError:()=>this.toMark("error",-1),find:()=>this.finder?.focusField(),findNext:()=>this.finder?.step(1),findPrevious:()=>this.finder?.step(
-1),fold:()=>this.conversation?.fold(this.cursor),foldAll:()=>this.conversation?.foldAll(!this.conversation.isAllFolded),copy:()=>this.act("copy",this.cursor),copyCode:()=>this.
act("copyCode",this.cursor),link:()=>this.act("link",this.cursor),label:()=>this.act("label",this.cursor),request:()=>this.act("request",this.cursor),tree:()=>this.
toTree(),leave:()=>L(this.route.tab===""?C("sessions"):A(this.route.key))};this.pressed=t=>{if(t.defaultPrevented||Lt(t)||document.querySelector("dialog[open]"))
return;if((t.ctrlKey||t.metaKey)&&t.key==="p"&&this.route.tab==="")return t.preventDefault(),this.print();if(t.ctrlKey||t.metaKey||t.altKey)return;let e=ot.find(
o=>o.key===t.key);if(e&&this.source.tabs.has(e.tab))return L(A(this.route.key,e.tab,{leaf:this.route.parameters.get("leaf"),e:this.cursor>=0?this.cursor:null}));
let s=ds.find(({keys:o})=>o.includes(t.key)),r=(t.key==="Enter"||t.key===" ")&&Hi(t);!s||r||this.route.tab!==""&&s.action!=="leave"||(t.preventDefault(),this.actions[s.
action]())}}connectedCallback(){super.connectedCallback(),window.addEventListener("keydown",this.pressed),window.addEventListener("beforeprint",this.printing),window.
addEventListener("afterprint",this.printed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed),window.removeEventListener(
"beforeprint",this.printing),window.removeEventListener("afterprint",this.printed)}willUpdate(t){(t.has("route")||t.has("source"))&&this.followRoute()}followRoute(){
let{key:t,parameters:e}=this.route;this.model?.key!==t&&(this.model=new Wt(this.source,t),this.model.changed=()=>this.loaded(),this.cursor=-1,this.openedAs="",this.
hits=new Set);let s=ms(e.get("leaf")),r=Fe.find(c=>c===e.get("filter"))??"all",o=e.get("e")||this.route.entry,a=ms(o),l=`${s} ${r}`;this.findText=e.get("find")??
"",l!==this.openedAs?(this.openedAs=l,w(this.open(this.model,s,r,a,o))):a!==null&&a!==this.cursor&&this.show(a)}loaded(){this.cursor=this.model?.callerOf(this.cursor)??
this.cursor,this.version+=1}async open(t,e,s,r,o){try{await t.open(e,s),this.failure="",document.title=`${_(t.facts?.title??"Session",80)} \xB7 pitree`,await this.
updateComplete,r??=await this.entryOf(o),this.route.tab===""?this.begin(r):r!==null&&(this.cursor=r),await t.readMarks()}catch(a){this.failure=W(a)}}async entryOf(t){
if(t==="")return null;let e=/^e\d+$/.test(t)?Number(t.slice(1)):await this.source.resolve(this.route.key,t);return e>=0?e:null}begin(t){t!==null?this.show(t):this.
cursor<0?this.cursor=this.model?.path[0]??-1:this.show(this.cursor)}async goTo(t,{push:e=!1,focus:s=!1}={}){let r=this.model;if(!r)return;let o=await r.leafFor(
t),a=o!==r.leaf&&o!==null,l=A(r.key,"",{...Object.fromEntries(this.route.parameters),leaf:a?o:this.route.parameters.get("leaf"),e:t});e||a?(a&&N("On another bra\
nch: switched to it."),L(l,!e)):(this.show(t,s),L(l,!0))}show(t,e=!1){this.cursor=this.model?.callerOf(t)??t,this.version+=1,this.updateComplete.then(()=>this.conversation?.
show(t,{focus:e}))}moveTo(t,e="auto"){t!==null&&(this.cursor=t,this.updateComplete.then(()=>this.conversation?.show(t,{focus:!0,align:e})),this.noteCursor(t))}async liveChange(t){
let e=this.model;if(!e?.facts||!t.changed.includes(e.key))return;this.isFollowing=this.conversation?.isAtEnd??!1;let s=await e.refresh();s<=0||(ut(R(s,"new entr\
y","new entries")),this.isFollowing?this.updateComplete.then(()=>requestAnimationFrame(()=>this.conversation?.scrollToEnd())):this.newRows+=s)}toNewest(){this.newRows=
0,this.moveTo(this.model?.path.at(-1)??null,"start"),this.conversation?.scrollToEnd()}setFilter(t){L(Bt(this.route,{filter:t==="all"?null:t,e:this.cursor>=0?this.
cursor:null}))}setFound(t,e){this.findText=t,this.hits=e,L(Bt(this.route,{find:t||null}),!0)}toggleTree(){this.showsTree=!this.showsTree,Ie("tree",this.showsTree?
"yes":"no")}rename(){let t=prompt("Name of the session (empty removes it)",this.model?.facts?.name??"");t!==null&&w(this.source.rename(this.route.key,t.trim()))}savePosition(){
w(this.source.goTo(this.route.key,this.cursor).then(()=>N("Position saved")))}print(){this.conversation&&this.model&&w(Di(this.conversation,this.model))}act(t,e){
let s=this.model,r=s?.row(e);if(!(!s||!r))switch(t){case"fold":return this.conversation?.fold(e);case"copy":return w(dt(ki(r)).then(()=>N("Message copied")));case"\
copyCode":return this.copyCode(Ei(r));case"link":return w(dt(new URL(A(s.key,"",{leaf:this.route.parameters.get("leaf"),e}),location.href).href).then(()=>N("Lin\
k copied")));case"request":return L(A(s.key,"request",{leaf:this.route.parameters.get("leaf"),e}));case"label":return this.askLabel(e,r.label)}}copyCode(t){if(t.
length===0)return N("No code block in this message");w(dt(t.join(`

`)).then(()=>N(t.length===1?"Code block copied":R(t.length,"code block copied","code blocks copied"))))}askLabel(t,e){let s=this.source.canEdit?prompt("Label (e\
mpty removes it)",e??""):null;s!==null&&w(this.source.label(this.route.key,t,s.trim()))}lastShown(){let t=this.model?.path.at(-1);return t===void 0?null:this.model?.
callerOf(t)??t}page(t){this.conversation?.scrollByPage(t),requestAnimationFrame(()=>requestAnimationFrame(()=>this.cursor=this.conversation?.firstSeen()??this.cursor))}toMark(t,e){
let s=this.model?.nextMark(t,this.cursor,e)??null;if(s===null)return ut(t==="user"?"No further message":"No further error");this.show(s,!0),this.noteCursor(this.
cursor)}toTree(){this.showsTree||this.toggleTree(),this.updateComplete.then(()=>{let t=this.querySelector(".tree-scroller");document.activeElement===t?this.conversation?.
show(this.cursor,{focus:!0,align:"auto"}):t?.focus()})}render(){let t=this.model;return this.failure?h`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.
failure}</p><p><a href=${C("sessions")}>All sessions</a></p></main>`:t?.facts?h`${qi(this,t,t.facts)}<main class="session-main" tabindex="-1">${this.tab(t)}</main>`:
h`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`}tab(t){let e=ms(this.route.parameters.get("e"));switch(this.route.tab){case"l\
anes":return h`<pt-lanes .model=${t} .version=${this.version}></pt-lanes>`;case"tree":return h`<pt-graph .model=${t} .version=${this.version}></pt-graph>`;case"\
family":return h`<pt-family .model=${t}></pt-family>`;case"context":return h`<pt-context .model=${t} .at=${e}></pt-context>`;case"request":return h`<pt-request .model=${t} .at=${e}></pt-request>`;default:
return Ni(this,t)}}};u([y({attribute:!1})],H.prototype,"source",2),u([y({attribute:!1})],H.prototype,"route",2),u([b()],H.prototype,"model",2),u([b()],H.prototype,
"version",2),u([b()],H.prototype,"cursor",2),u([b()],H.prototype,"seen",2),u([b()],H.prototype,"hits",2),u([b()],H.prototype,"findText",2),u([b()],H.prototype,"\
newRows",2),u([b()],H.prototype,"showsTree",2),u([b()],H.prototype,"failure",2),u([Et("pt-conversation")],H.prototype,"conversation",2),u([Et("pt-find")],H.prototype,
"finder",2),H=u([k("pt-session")],H);function ms(n){return n!==null&&/^\d+$/.test(n)?Number(n):null}function ue(n,i=!1){let t=Math.max(1e-9,...n.map(({value:e})=>e));return h`<div class=${i?"bars is-wide":"bars"}>${n.map(({name:e,title:s,value:r,shown:o,note:a,
link:l})=>{let c=h`<span class="bar-name" title=${s}>${e}</span><span class="bar-value">${o}${a?h` <small>${a}</small>`:m}</span>
      <span class="bar-fill series-0" style=${P({width:`${r/t*100}%`})}></span>`;return l===null?h`<div class="bar">${c}</div>`:h`<a class="bar" href=${l}>${c}</a>`})}</div>`}
function He(n,i,t){let e=Math.max(1e-9,...n.map(({value:s})=>s));return h`<div class="standing" role="group" aria-label=${i}>${n.map((s,r)=>{let o=`${s.title}: ${s.
shown}`,a=s.value>0?`max(2px, ${s.value/e*100}%)`:"0",l=h`<span class="column-fill" style=${P({height:a})}></span><span class="tick" aria-hidden="true">${t(s,r)}</span>`;
return s.link===null?h`<span class="column" role="img" aria-label=${o} title=${o}>${l}</span>`:h`<a class="column" href=${s.link} aria-label=${o} title=${o}>${l}</a>`})}</div>`}
function Bi(n){if(!n||n.every(e=>e===0))return h`<span class="spark"></span>`;let i=Math.max(...n),t=n.map((e,s)=>e===0?"":`M${s*3+1} 16v${-Math.max(1.5,e/i*15)}`).
join("");return h`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${t}></path></svg>`}var qe=[{by:"day",name:"Day"},{by:"week",name:"Week"},{by:"model",name:"Model"},{by:"project",name:"Project"},{by:"role",name:"Role"},{by:"family",name:"Family"}],
zi=60,wr=120,Ui=864e5,yt=class extends E{constructor(){super(...arguments);this.version=0;this.facts=null}get by(){return qe.find(({by:t})=>t===this.route.parameters.
get("by"))?.by??"day"}get isByTokens(){return this.route.parameters.get("unit")==="tokens"}willUpdate(t){(t.has("route")||t.has("version"))&&w(this.load(this.by))}async load(t){
let e=await this.source.spend(t);t===this.by&&(this.facts=e)}bar(t){let e=t.key??"not recorded",s=t.sessions?.length??0,r=this.isByTokens?t.tokens.total:t.cost??
0,o=this.isByTokens?`${F(r)} tokens`:Tt(t.cost),a={project:V(e),family:t.title??(t.path?V(t.path,1):e)},l=s>0?C("sessions",{in:`${this.by}:${t.key??""}`}):null;
return{name:a[this.by]??e,title:e,value:r,shown:o,note:s>0?R(s,"session"):R(t.count,"request"),link:l}}chart(t){let e=t.rows.map(o=>this.bar(o));if(this.by!=="d\
ay"&&this.by!=="week")return ue(e.slice(0,zi),!0);let s=Sr(e,this.by==="day"?1:7).slice(-wr),r=(o,a)=>o.title.slice(0,7)!==s[a-1]?.title.slice(0,7)?xr(o.title):
"";return h`${He(s,`Spend by ${this.by}`,r)}<details class="in-words" open><summary>As a list</summary>${ue(e.slice(-zi).reverse(),!0)}</details>`}render(){let t=this.
facts,e=this.isByTokens?"tokens":null;return h`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${t?h`<div class="figures">
        <div><b>${Tt(t.total.cost)}</b><span>recorded</span></div><div><b>${F(t.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${S(t.total.count)}</b><span>requests</span></div>
        ${t.total.unknownCosts>0?h`<div><b>${S(t.total.unknownCosts)}</b><span>without a recorded cost</span></div>`:m}
      </div>`:m}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${qe.map(({by:s,name:r})=>h`<a href=${C("spend",{by:s,unit:e})} aria-current=${s===this.by?"true":m}>${r}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${C("spend",{by:this.by})} aria-current=${e===null?"true":m}>Dollars</a><a href=${C("spend",{by:this.by,
unit:"tokens"})} aria-current=${e?"true":m}>Tokens</a></nav>
      </div>
      <section class="card">${!t||t.by!==this.by?h`<p class="muted">Adding up…</p>`:t.rows.length===0?h`<p class="muted">Nothing was spent yet.</p>`:this.chart(
t)}</section>
    </main>`}};u([y({attribute:!1})],yt.prototype,"source",2),u([y({attribute:!1})],yt.prototype,"route",2),u([y({attribute:!1})],yt.prototype,"version",2),u([b()],
yt.prototype,"facts",2),yt=u([k("pt-spend")],yt);function Sr(n,i){let t=[];for(let e of n){let s=Date.parse(e.title),r=t.at(-1),o=r?Date.parse(r.title):NaN;for(let a=o+
i*Ui;a<s&&t.length<1e4;a+=i*Ui){let l=new Date(a).toISOString().slice(0,10);t.push({name:l,title:l,value:0,shown:"nothing",link:null})}t.push(e)}return t}function xr(n){
let i=new Date(`${n}T12:00:00`);return Number.isNaN(i.getTime())?"":i.toLocaleString("en-US",{month:"short"})}function fs({text:n,marks:i}){let t=[],e=0;for(let[s,r]of[...i].sort((o,a)=>o[0]-a[0]))s<e||r<=s||r>n.length||(t.push(n.slice(e,s),h`<mark>${n.slice(s,r)}</mark>`),
e=r);return t.push(n.slice(e)),h`${t}`}function de(n,i){let t=n.toLowerCase(),e=[];if(t.length===n.length)for(let s of i)for(let r=t.indexOf(s);s&&r>=0;r=t.indexOf(
s,r+s.length))e.push([r,r+s.length]);return fs({text:n,marks:e})}function Ne({hit:n}){return n?typeof n.at=="number"?String(n.at):n.id||(n.line?`line-${n.line}`:null):null}function Ki(n,i){let t=new Map(n.map(l=>[l.key,l])),e=new Map;for(let l of n)l.parentKey!==null&&t.has(l.parentKey)&&l.parentKey!==l.key&&e.set(l.parentKey,[...e.
get(l.parentKey)??[],l]);let s=new Set,r=[],o=(l,c,p)=>{if(s.has(l.key))return 0;s.add(l.key);let d={row:l,depth:c,below:0};p&&r.push(d);for(let g of e.get(l.key)??
[])d.below+=1+o(g,c+1,p&&!i.has(l.key));return d.below},a=l=>{let c=l;for(let p=0;p<n.length&&c.parentKey!==null;p+=1)c=t.get(c.parentKey)??{...c,parentKey:null};
return t.get(c.key)??l};for(let l of n)o(a(l),0,!0);return r}function ji(n){return n.map(i=>({row:i,depth:0,below:0}))}var gs=100,kr=5e3,Er=[["recent","Recent"],["cost","Cost"],["messages","Messages"],["tokens","Tokens"],["relevance","Relevance"]],z=class extends E{constructor(){
super(...arguments);this.version=0;this.rows=[];this.total=-1;this.isGuess=!1;this.failure="";this.active="";this.folded=new Set;this.asked="";this.focusedKey=null;
this.projects=[];this.virtual=new X(this,()=>({count:this.list.length,scroller:".list-scroller",estimate:t=>this.list[t]?.row.hit?78:54,measures:!0,keyOf:t=>this.
list[t]?.row.key??t}));this.listed=null;this.refresh=rt(400,()=>w(this.load(!0)));this.typed=rt(120,t=>this.set({q:t||null},!0));this.pressed=t=>{let e=!t.ctrlKey&&
!t.metaKey&&!t.altKey&&!document.querySelector("dialog[open]");if(t.defaultPrevented||!e)return;let s=this.querySelector(".search input"),r=t.target===s,o={ArrowDown:1,
ArrowUp:-1,...r?{}:{j:1,k:-1}}[t.key];if(!(Lt(t)&&!r)){if(t.key==="/"&&!r)s?.focus();else if(t.key==="Escape"&&r)s?.blur();else if(t.key==="Enter"&&r)this.open(
this.list.find(({row:a})=>a.key===this.active)?.row??this.list[0]?.row);else if(o!==void 0)this.move(o,r);else return;t.preventDefault()}}}connectedCallback(){super.
connectedCallback(),window.addEventListener("keydown",this.pressed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.
pressed)}value(t){return this.route.parameters.get(t)??""}get words(){return this.value("q").toLowerCase().split(/\s+/).filter(Boolean)}get list(){let t=this.value(
"q")!==""||this.value("flat")==="1";return(this.listed?.rows!==this.rows||this.listed.folded!==this.folded||this.listed.isFlat!==t)&&(this.listed={rows:this.rows,
folded:this.folded,isFlat:t,list:t?ji(this.rows):Ki(this.rows,this.folded)}),this.listed.list}willUpdate(t){document.activeElement!==document.body&&(this.focusedKey=
this.querySelector(".session:focus-within")?.dataset.key??null),t.has("source")||t.has("route")&&this.route.parameters.toString()!==this.asked?w(this.load(!1)):
t.has("version")&&this.refresh()}updated(){this.focusedKey===null||document.activeElement!==document.body||this.querySelector(`[data-key="${CSS.escape(this.focusedKey)}\
"] a.title`)?.focus({preventScroll:!0})}async load(t){let e=this.route.parameters.toString();this.asked=e;try{let s=await this.keysOf(this.value("in")),r=[];for(let o=0;o<
kr;o+=gs){let a=await this.page(s,o);if(e!==this.asked)return;r=[...r,...a.rows.filter(c=>s===null||s.includes(c.key))];let l=a.rows.length<gs||r.length>=a.total;
if((!t||l)&&this.take(a,r,o),l)break}this.failure=""}catch(s){this.failure=W(s)}}page(t,e){let s={q:this.value("q"),scope:this.value("scope"),project:this.value(
"project"),sort:this.value("sort"),offset:e,limit:gs};return this.source.sessions(t===null?s:{...s,keys:t})}take(t,e,s){this.rows=e,this.isGuess=t.isGuess,this.
projects=[...new Set([...this.projects,...e.map(r=>r.cwd)])].sort(),!(s>0&&this.total===t.total)&&(this.total=this.value("in")?e.length:t.total,ut(R(this.total,
"session")))}async keysOf(t){let[e,...s]=t.split(":");if(!qe.some(a=>a.by===e))return null;let r=s.join(":");return(await this.source.spend(e)).rows.find(a=>(a.
key??"")===r)?.sessions??[]}set(t,e=!1){L(Bt(this.route,t),e)}move(t,e){let s=this.list,r=Math.max(0,Math.min(s.length-1,s.findIndex(({row:a})=>a.key===this.active)+
t)),o=s[r]?.row.key;o!==void 0&&(this.active=o,this.virtual.scrollTo(r),!e&&this.updateComplete.then(()=>requestAnimationFrame(()=>this.querySelector(`[data-key\
="${o}"] a.title`)?.focus({preventScroll:!0}))))}open(t){t&&L(this.link(t))}link(t){let e=this.value("q");if(!t.hit||e==="")return A(t.key);let s=t.hit.snippet.
marks[0],r=s?t.hit.snippet.text.slice(s[0],s[1]):null;return A(t.key,"",{e:Ne(t),find:r})}fold(t){let e=new Set(this.folded);e.delete(t)||e.add(t),this.folded=e}row({
row:t,depth:e,below:s}){let r=this.words,o=this.folded.has(t.key);return h`<div class=${`session ${t.key===this.active?"is-active":""} ${t.isLive?"is-live":""}`} data-key=${t.
key} style=${P({"--depth":String(Math.min(e,6))})}>
      ${e>0?h`<span class="thread" aria-hidden="true"></span>`:m}
      <div class="session-text">
        <p class="session-title">${t.isLive?h`<span class="live" title="Something was written a moment ago">live</span>`:m}<a class="title" href=${this.link(t)}>${de(
_(t.title,140),r)}</a>
          ${t.name!==null&&t.firstMessage&&!t.hit?h`<span class="first-message">${_(t.firstMessage,120)}</span>`:m}
          ${s>0?h`<button class="quiet fold" aria-expanded=${o?"false":"true"} @click=${()=>this.fold(t.key)}>${o?"+":"\u2212"} ${R(s,"fork")}</button>`:m}</p>
        ${t.hit&&t.hit.snippet.text.trim()!==t.title.trim()?h`<p class="hit">${fs({...t.hit.snippet})}</p>`:m}
        <p class="session-facts"><span title=${t.cwd}>${de(V(t.cwd),r)}</span>${t.model?h`<span>${t.model}</span>`:m}${this.why(t)}</p>
      </div>
      ${Bi(t.activity)}
      <span class="number" title=${`${S(t.messages)} messages`}>${F(t.messages)}<small> msg</small></span>
      <span class="number" title=${`${S(t.tokens)} tokens`}>${Tt(t.cost)}</span>
      <time class="number" title=${At(t.modified)}>${pt(t.modified)}</time>
    </div>`}why(t){let e=t.why??[];return e.length===0?m:h`<span class="why">matches ${e.map(({term:s,in:r,whole:o},a)=>h`${a>0?", ":""}<b>${s}</b> in the ${r}${o?
"":" (part of a word)"}`)}</span>`}filters(){let t=this.value("in"),e=s=>r=>this.set({[s]:r.target.value||null});return h`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${e("project")}><option value="">All projects</option>${this.projects.map(s=>h`<option value=${s} ?selected=${s===
this.value("project")}>${V(s)}</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${e("sort")}>${Er.map(([s,r])=>h`<option value=${s==="recent"?"":s} ?selected=${s===
(this.value("sort")||"recent")}>${r}</option>`)}</select></label>
      ${this.value("q")?m:h`<button class="quiet" aria-pressed=${this.value("flat")==="1"?"false":"true"} @click=${()=>this.set({flat:this.value("flat")==="1"?null:
"1"})}>Threads</button>`}
      ${t?h`<span class="chip">${t.replace(":"," ")} <button class="quiet" aria-label="Show all sessions" @click=${()=>this.set({in:null})}>✕</button></span>`:
m}
      <span class="list-count">${this.total<0?"":R(this.total,"session")}</span>
    </div>`}notice(){return this.failure?h`<p class="notice is-bad">${this.failure}</p>`:this.isGuess&&this.rows.length>0?h`<p class="notice">Nothing matched exactly. These come close.</p>`:
this.total===0?h`<p class="empty">${this.value("q")?"Nothing matched.":"There are no sessions yet."}</p>`:m}render(){let t=this.list;return h`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.
value("q")} @input=${e=>this.typed(e.target.value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${P({height:`${this.virtual.total}\
px`})}>
        ${Ut(this.virtual.items,e=>e.key,e=>h`<div class="slot" role="listitem" aria-setsize=${t.length} aria-posinset=${e.index+1} data-index=${e.index} style=${P(
{transform:`translateY(${e.start}px)`})}>${t[e.index]?this.row(t[e.index]):m}</div>`)}
      </div></div></main>`}};u([y({attribute:!1})],z.prototype,"source",2),u([y({attribute:!1})],z.prototype,"route",2),u([y({attribute:!1})],z.prototype,"versi\
on",2),u([b()],z.prototype,"rows",2),u([b()],z.prototype,"total",2),u([b()],z.prototype,"isGuess",2),u([b()],z.prototype,"failure",2),u([b()],z.prototype,"activ\
e",2),u([b()],z.prototype,"folded",2),z=u([k("pt-sessions")],z);var Tr=15,Wi=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],Ar={branchedSessions:"Sessions with branches",branchPoints:"Branch points",
forkedSessions:"Sessions that were forked",forks:"Forks",compactions:"Compactions",branchSummaries:"Branch summaries",labels:"Labels",subagentRuns:"Sub-agent ru\
ns"},It=class extends E{constructor(){super(...arguments);this.version=0;this.facts=null}willUpdate(t){(t.has("source")||t.has("version"))&&w(this.source.stats().
then(e=>this.facts=e))}card(t,e){return h`<section class="card"><h2>${t}</h2>${e.length===0?h`<p class="muted">None.</p>`:ue(e.slice(0,Tr))}</section>`}hours(t){
let e=t.hours.map((s,r)=>({name:`${r}`,title:`${r}:00`,value:s,shown:R(s,"message"),link:null}));return h`<section class="card"><h2>Hours of the day</h2>${He(e,
"Messages by hour",(s,r)=>r%6===0?s.title:"")}</section>`}render(){let t=this.facts;if(!t)return h`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;
let{totals:e}=t,s=(a,l)=>l>0?`${R(l,"error")}`:(a>0,""),r=a=>C("sessions",{q:a}),o=[[e.sessions,"sessions"],[e.messages.total,"messages"],[e.projects,"projects"],
[e.activeDays,"active days"],[e.replies,"replies"],[e.failedReplies,"failed replies"]];return h`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${o.map(([a,l])=>h`<div title=${S(a)}><b>${F(a)}</b><span>${l}</span></div>`)}</div>
      <div class="masonry">
        ${this.card("Tools",t.tools.map(({name:a,calls:l,errors:c})=>({name:a,title:a,value:l,shown:S(l),note:s(l,c),link:r(`tool:${a}`)})))}
        ${this.card("Models",t.models.map(({model:a,replies:l})=>({name:a??"not recorded",title:a??"",value:l,shown:S(l),link:a===null?null:C("sessions",{in:`mo\
del:${a}`})})))}
        ${this.card("Commands",t.commands.map(({command:a,runs:l,errors:c})=>({name:a,title:a,value:l,shown:S(l),note:s(l,c),link:r(a)})))}
        ${this.card("Files",t.files.map(({path:a,project:l,reads:c,edits:p,writes:d})=>({name:V(a),title:`${a}${l?` (${l})`:""}`,value:c+p+d,shown:S(c+p+d),note:`${p}\
 edits`,link:r(a.split("/").at(-1)??a)})))}
        ${this.hours(t)}
        ${this.card("Days of the week",t.weekdays.map((a,l)=>({name:Wi[l]??"",title:Wi[l]??"",value:a,shown:S(a),link:null})))}
        ${this.card("Habits",Object.entries(Ar).map(([a,l])=>({name:l,title:l,value:t.habits[a]??0,shown:S(t.habits[a]??0),link:null})))}
      </div></main>`}};u([y({attribute:!1})],It.prototype,"source",2),u([y({attribute:!1})],It.prototype,"version",2),u([b()],It.prototype,"facts",2),It=u([k("p\
t-stats")],It);var et=class extends E{constructor(){super(...arguments);this.commands=()=>[];this.text="";this.sessions=[];this.active=0;this.focusedBefore=null;this.closed=()=>{
this.focusedBefore?.isConnected&&this.focusedBefore.focus()};this.look=rt(90,t=>w(this.search(t)));this.pressed=t=>{let e=this.choices,s={ArrowDown:1,ArrowUp:-1}[t.
key];if(t.key==="Enter")this.choose(e[this.active]);else if(s!==void 0)this.active=(this.active+s+e.length)%Math.max(1,e.length);else return;t.preventDefault(),
t.stopPropagation(),this.updateComplete.then(()=>this.querySelector(`#choice-${this.active}`)?.scrollIntoView({block:"nearest"}))}}open(){let t=this.querySelector(
"dialog");!t||t.open||(this.focusedBefore=document.activeElement,this.text="",this.active=0,t.showModal(),this.querySelector("input")?.focus(),w(this.search("")))}close(){
this.querySelector("dialog")?.close()}async search(t){if(!this.source.hasList)return;let e=await this.source.sessions({q:t,limit:8});t===this.text&&(this.sessions=
e.rows.map(s=>({name:_(s.title,90),note:`${V(s.cwd,1)} \xB7 ${pt(s.modified)}`,kind:"Session",run:()=>L(A(s.key,"",{e:t?Ne(s):null}))})))}get choices(){let t=this.
source.hasList?[["Sessions",C("sessions")],["Spend",C("spend")],["Stats",C("stats")]].map(([l="",c=""])=>({name:l,note:"",kind:"View",run:()=>L(c)})):[],e=this.
route.parameters.get("leaf"),s=this.route.view!=="session"?[]:ot.filter(({tab:l})=>this.source.tabs.has(l)).map(({tab:l,name:c,key:p})=>({name:c,note:p,kind:"Vi\
ew",run:()=>L(A(this.route.key,l,{leaf:e}))})),r=this.commands().map(l=>({...l,kind:"Command"})),o=this.text.toLowerCase().split(/\s+/).filter(Boolean),a=({name:l})=>o.
every(c=>l.toLowerCase().includes(c));return[...this.sessions,...[...s,...t,...r].filter(a)]}choose(t){t&&(this.focusedBefore=null,this.close(),t.run())}typed(t){
this.text=t,this.active=0,this.look(t)}render(){let t=this.choices,e=this.text.toLowerCase().split(/\s+/).filter(Boolean);return h`<dialog class="palette" aria-label="Go to" @close=${this.
closed} @click=${s=>s.target===s.currentTarget&&this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${t.length>0?`choice-${this.
active}`:m}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.
text}
        @input=${s=>this.typed(s.target.value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${t.map((s,r)=>h`<div id=${`choice-${r}`} role="option" class=${r===this.active?"choice is-active":"\
choice"} aria-selected=${r===this.active?"true":"false"}
        @click=${()=>this.choose(s)} @pointermove=${()=>this.active=r}><span class="choice-kind">${s.kind}</span><span class="choice-name">${de(s.name,e)}</span><span class="muted">${s.
note}</span></div>`)}
      </div>${t.length===0?h`<p class="empty">Nothing matched.</p>`:m}</dialog>`}};u([y({attribute:!1})],et.prototype,"source",2),u([y({attribute:!1})],et.prototype,
"route",2),u([y({attribute:!1})],et.prototype,"commands",2),u([b()],et.prototype,"text",2),u([b()],et.prototype,"sessions",2),u([b()],et.prototype,"active",2),et=
u([k("pt-palette")],et);var De=class extends E{constructor(){super(...arguments);this.focusedBefore=null;this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}toggle(){
let t=this.querySelector("dialog");if(t){if(t.open)return t.close();this.focusedBefore=document.activeElement,t.showModal()}}render(){let t=()=>this.querySelector(
"dialog")?.close();return h`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${e=>e.target===e.currentTarget&&t()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${t}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${Fi.map(({title:e,rows:s})=>h`<section><h3>${e}</h3><dl>${s.map(([r,o])=>h`<dt>${r.
split(" ").map(a=>a==="\u2026"?a:h`<kbd>${a}</kbd>`)}</dt><dd>${o}</dd>`)}</dl></section>`)}</div>
    </dialog>`}};De=u([k("pt-help")],De);function _r(n){let i=document.getElementById(n);if(!i)throw new B("A part of this file is missing.","It may have been cut off while it was copied; export it aga\
in.");let t=atob((i.textContent??"").trim()),e=new Uint8Array(t.length);for(let s=0;s<t.length;s+=1)e[s]=t.charCodeAt(s);return e}async function ys(n){let i=new Blob(
[_r(n)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));try{return await new Response(i).json()}catch{throw new B("A part of this file is damaged.",
"Export it again.")}}var Be=class{constructor(i,t){this.held=new Map;this.name=i,this.limit=t}get(i){let t=this.held.get(i)??ys(this.name(i));this.held.delete(i),
this.held.set(i,t);for(let e of this.held.keys()){if(this.held.size<=this.limit)break;this.held.delete(e)}return t}};var $s="pitree-index",Mr=24,Rr=5e3,vs=1,Vi=2,Gi=4,Cr=8,Or=16,bs=class{constructor(i){this.lastPath=null;this.drawn=null;this.depths=new Map;this.children=new Map;
this.index=i,this.labels=new Map(i.light.labels),this.blocks=new Be(t=>`pitree-rows-${t}`,Mr),i.light.parents.forEach((t,e)=>{let s=this.children.get(t);s?s.push(
e):this.children.set(t,[e])})}passes(i,t){let e=this.index.light.flags[i]??0;switch(t){case"all":return!0;case"user":return(e&Or)!==0;case"labeled":return this.
labels.has(i);case"no-tools":return(e&(Gi|Cr))===0;case"default":return(e&Gi)===0}}path(i,t){let e=[];for(let s=i??this.index.session.leaf;s!=null;s=this.index.
light.parents[s]??null)e.push(s);return Int32Array.from(e.reverse().filter(s=>this.passes(s,t)))}async row(i,t){let{light:e,blockRows:s,kinds:r}=this.index,o=e.
flags[i]??0,a={at:i,parent:e.parents[i]??null,id:e.ids[i]??"",kind:r[e.kinds[i]??0]??"",label:this.labels.get(i)??null,isError:(o&Vi)!==0,summary:e.summaries[i]??
""};if(t)return Dt(a);let c=(await this.blocks.get(Math.floor(i/s)))[i%s];if(!c)throw new B("An entry of this file is missing.","Export it again.");return Dt({...c,
...a})}order(){if(this.drawn)return this.drawn;let i=this.index.light.flags,t=[],e=[...this.children.get(null)??[]].reverse().map(s=>[s,0]);for(let s=e.pop();s;s=
e.pop()){let[r,o]=s;t.push(r),this.depths.set(r,o);let a=[...this.children.get(r)??[]].sort((l,c)=>((i[c]??0)&vs)-((i[l]??0)&vs)||l-c);for(let l of a.reverse())
e.push([l,o+(a.length>1?1:0)])}return this.drawn=Int32Array.from(t),this.drawn}treeRows(i){return[...this.order()].filter(t=>this.passes(t,i))}treeRow(i){let{light:t,
kinds:e,session:s}=this.index,r=t.flags[i]??0;return{at:i,id:t.ids[i]??"",depth:this.depths.get(i)??0,kind:e[t.kinds[i]??0]??"",text:t.summaries[i]??"",label:this.
labels.get(i)??null,active:(r&vs)!==0,isLeaf:i===s.leaf,isError:(r&Vi)!==0,children:this.children.get(i)?.length??0}}part({leaf:i,filter:t,from:e,count:s,brief:r=!1}){
let o=`${i} ${t}`;return this.lastPath?.name!==o&&(this.lastPath={name:o,path:this.path(i,t)}),Promise.all([...this.lastPath.path.subarray(e,e+s)].map(a=>this.row(
a,r)))}async find(i){let t=i.toLowerCase(),e=[],s=0;for(let r=0;t&&r<this.index.light.ids.length;r+=1){let o=Pr((await this.row(r,!1)).body),a=o.toLowerCase().indexOf(
t);if(a<0)continue;s+=1;let l=Math.max(0,a-40);e.length<Rr&&e.push({at:r,snippet:{text:o.slice(l,a+120),marks:[[a-l,a-l+t.length]]}})}return{total:s,hits:e}}};function Pr(n){
let i="",t=[...n].reverse();for(;t.length>0;){let e=t.pop();if(typeof e=="string")i+=e;else if(Array.isArray(e)){i+=i&&!i.endsWith(" ")&&e[0]!=="span"&&e[0]!=="\
code"?" ":"";for(let s of e.slice(1).reverse())(typeof s=="string"||Array.isArray(s))&&t.push(s)}}return i}var Lr=new B("This page is a file, so there is no ser\
ver to ask.","Run `pitree serve` for that.");function Ir(n){let i=new Set(["","lanes","tree"]);return n.context&&i.add("context"),n.session.family.length>1&&i.add(
"family"),i}async function Yi(){let n=await ys($s);if(n.format!==1)throw new B("This file is in a format that this page cannot read.","Export it again.");let i=new bs(
n),t=()=>Promise.reject(Lr);return{hasList:!1,onlyKey:n.session.key,tabs:Ir(n),canEdit:!1,sessions:()=>Promise.resolve({total:0,offset:0,isGuess:!1,rows:[]}),session:()=>Promise.
resolve(n.session),marks:()=>Promise.resolve(n.marks),path:(e,s,r)=>Promise.resolve(i.path(s,r)),rows:(e,s)=>i.part(s),tree:(e,{from:s=0,count:r,filter:o,at:a})=>{
let l=i.treeRows(o),c=a===void 0?s:Math.max(0,l.indexOf(a)-Math.floor(r/2));return Promise.resolve({total:l.length,from:c,rows:l.slice(c,c+r).map(p=>i.treeRow(p))})},
find:(e,s)=>i.find(s),context:()=>n.context?Promise.resolve(n.context):t(),request:t,spend:t,stats:t,listen:()=>()=>{},rename:t,label:t,goTo:t,entry:(e,s)=>i.row(
s,!1),resolve:(e,s)=>Promise.resolve(n.light.ids.indexOf(s))}}function Fr(n,i={}){let t=new URLSearchParams;for(let[s,r]of Object.entries(i))r!=null&&r!==""&&r!==!1&&t.set(s,String(r));let e=t.toString();return e?`api/${n}\
?${e}`:`api/${n}`}async function Xi(n){let i=await n.json().catch(()=>null);if(n.ok&&i!==null)return i;let t=i;throw new B(t?.error??`The server answered ${n.status}\
.`,t?.hint??null)}async function U(n,i){let t;try{t=await fetch(Fr(n,i))}catch{throw new B("The server does not answer.","Is `pitree serve` still running?")}return Xi(
t)}async function ws(n,i){await Xi(await fetch(`api/${n}`,{method:"POST",headers:{"Content-Type":"application/json","X-Pitree":"1"},body:JSON.stringify(i)}))}function Hr(n){
let i=new EventSource("api/events");return i.onmessage=t=>{let e=JSON.parse(String(t.data));n({changed:e.changed??[],list:e.list??!1})},()=>i.close()}function Qi(){
let n=!1,i=(t,e)=>`sessions/${encodeURIComponent(t)}${e}`;return{hasList:!0,onlyKey:"",tabs:new Set(ot.map(({tab:t})=>t)),get canEdit(){return n},sessions:({keys:t,
...e})=>U("sessions",{...e,keys:t?.join(",")}),session:async t=>{let e=await U(i(t,""));return e.canEdit!==void 0&&(n=e.canEdit),e},marks:async t=>(await U(i(t,
"/marks"))).marks,path:async(t,e,s)=>{let r=await U(i(t,"/path"),{leaf:e,filter:s});return r.runs?zs(r.runs):Int32Array.from(r.ats??[])},rows:async(t,{leaf:e,filter:s,
from:r,count:o,brief:a=!1})=>(await U(i(t,"/rows"),{leaf:e,filter:s,from:r,count:o,brief:a?1:null})).rows.map(Dt),tree:(t,{from:e,count:s,filter:r,at:o})=>U(i(t,
"/tree"),{from:e,count:s,filter:r,at:o}),find:(t,e)=>U(i(t,"/find"),{q:e}),context:(t,e)=>U(i(t,"/context"),{at:e}),request:(t,e)=>U(i(t,"/request"),{at:e}),spend:t=>U(
"spend",{by:t}),stats:()=>U("stats"),listen:Hr,rename:(t,e)=>ws(i(t,"/name"),{name:e}),label:(t,e,s)=>ws(i(t,"/label"),{at:e,label:s}),goTo:(t,e)=>ws(i(t,"/goto"),
{at:e}),resolve:async(t,e)=>{let s=/^line-(\d+)$/.exec(e);try{return(await U(i(t,"/locate"),s?{line:s[1]}:{id:e})).at}catch{return-1}},entry:async(t,e)=>Dt(await U(
i(t,"/entry"),{at:e}))}}async function Zi(){return document.getElementById($s)?Yi():Qi()}var ze=["auto","light","dark"];function Ue(){return ze.find(n=>n===Le("theme"))??"auto"}function Ji(n){return ze[(ze.indexOf(n)+1)%ze.length]??"auto"}function Ke(n){
document.documentElement.dataset.theme=n,Ie("theme",n),window.dispatchEvent(new Event("theme"))}var qr={sessions:"Sessions",session:"Session",spend:"Spend",stats:"Stats"},K=class extends E{constructor(){super(...arguments);this.source=null;this.failure="";
this.route=es(location.hash);this.listVersion=0;this.message="";this.theme=Ue();this.messageTimer=0;this.routed=()=>{let t=es(location.hash);this.source&&!this.
source.hasList&&Object.assign(t,{view:"session",key:this.source.onlyKey});let e=t.view!==this.route.view||t.key!==this.route.key;this.route=t,document.title=t.view===
"session"?document.title:`${qr[t.view]} \xB7 pitree`,e&&this.updateComplete.then(()=>this.querySelector("main")?.focus({preventScroll:!0}))};this.clicked=t=>{let s=t.
target.closest("a")?.getAttribute("href");!s?.startsWith("#")||t.defaultPrevented||t.button!==0||t.ctrlKey||t.metaKey||t.shiftKey||(t.preventDefault(),s!==location.
hash&&history.pushState(null,"",s),this.routed())};this.toasted=t=>{this.message=t.detail,clearTimeout(this.messageTimer),this.messageTimer=window.setTimeout(()=>this.
message="",2600)};this.pressed=t=>{if((t.ctrlKey||t.metaKey)&&t.key.toLowerCase()==="k")this.palette.open();else if(t.key==="?"&&!Lt(t)&&!t.ctrlKey&&!t.metaKey)
this.help.toggle();else if(t.key==="Escape"&&Lt(t)&&!t.target.closest("dialog"))t.target.blur();else return;t.preventDefault()};this.commands=()=>{let t=this.session;
return[{name:"Show all keys",note:"?",run:()=>this.help.toggle()},{name:"Switch between light and dark",note:this.theme,run:()=>this.switchTheme()},...this.route.
view==="session"&&t?[{name:"Show or hide the tree",note:"",run:()=>t.toggleTree()},{name:"Fold or unfold all messages",note:"O",run:()=>t.conversation?.foldAll(
!t.conversation.isAllFolded)},{name:"Print this branch",note:"",run:()=>t.print()}]:[],...this.route.view==="session"&&t&&this.source?.canEdit?[{name:"Rename th\
is session\u2026",note:"",run:()=>t.rename()},{name:"Save the position at this message",note:"",run:()=>t.savePosition()}]:[]]};this.skip=t=>{t.preventDefault(),
t.stopPropagation(),this.querySelector("main")?.focus()}}connectedCallback(){super.connectedCallback();for(let t of["popstate","hashchange","route"])window.addEventListener(
t,this.routed);window.addEventListener("toast",this.toasted),window.addEventListener("keydown",this.pressed),document.addEventListener("click",this.clicked),Zi().
then(t=>this.begin(t),t=>this.failure=W(t))}begin(t){this.source=t,t.listen(e=>this.changed(e)),this.routed()}changed(t){(t.list||t.changed.length>0)&&(this.listVersion+=
1),this.session?.liveChange(t).catch(()=>{})}switchTheme(){this.theme=Ji(this.theme),Ke(this.theme)}bar(t){let e=s=>this.route.view===s?"page":m;return h`<header class="bar-top">
      <a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      ${t.hasList?h`<a class="brand" href=${C("sessions")}>pitree</a><nav aria-label="Main">
        <a href=${C("sessions")} aria-current=${e("sessions")}>Sessions</a><a href=${C("spend")} aria-current=${e("spend")}>Spend</a><a href=${C("stats")} aria-current=${e(
"stats")}>Stats</a></nav>`:h`<span class="brand">pitree</span>`}
      <span class="spacer"></span>
      <button class="go-to" @click=${()=>this.palette.open()}><span>Go to…</span><kbd>Ctrl K</kbd></button>
      <button class="quiet" title="Light, dark, or as the system" @click=${()=>this.switchTheme()}>${this.theme==="auto"?"Auto":this.theme==="dark"?"Dark":"Ligh\
t"}<span class="hidden"> colors</span></button>
      <button class="quiet" title="Keys (?)" aria-label="Keys" @click=${()=>this.help.toggle()}>?</button>
    </header>`}view(t){switch(this.route.view){case"session":return h`<pt-session .source=${t} .route=${this.route}></pt-session>`;case"spend":return h`<pt-spend .source=${t} .route=${this.
route} .version=${this.listVersion}></pt-spend>`;case"stats":return h`<pt-stats .source=${t} .version=${this.listVersion}></pt-stats>`;default:return h`<pt-sessions .source=${t} .route=${this.
route} .version=${this.listVersion}></pt-sessions>`}}render(){let t=this.source;return t?h`${this.bar(t)}${this.view(t)}
      <pt-palette .source=${t} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message?"toast is-shown":"toast"} role="status">${this.message}</div>`:h`<main class="page-message"><p>${this.failure||"Loading\u2026"}</p></main>`}};
u([b()],K.prototype,"source",2),u([b()],K.prototype,"failure",2),u([b()],K.prototype,"route",2),u([b()],K.prototype,"listVersion",2),u([b()],K.prototype,"messag\
e",2),u([b()],K.prototype,"theme",2),u([Et("pt-palette")],K.prototype,"palette",2),u([Et("pt-help")],K.prototype,"help",2),u([Et("pt-session")],K.prototype,"ses\
sion",2),K=u([k("pt-app")],K);Ke(Ue());
