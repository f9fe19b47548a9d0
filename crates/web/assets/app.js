var xn=Object.defineProperty;var En=Object.getOwnPropertyDescriptor;var u=(n,i,t,e)=>{for(var s=e>1?void 0:e?En(i,t):i,r=n.length-1,o;r>=0;r--)(o=n[r])&&(s=(e?o(i,t,s):o(s))||s);return e&&s&&xn(i,t,s),s};/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var $e=globalThis,Se=$e.ShadowRoot&&($e.ShadyCSS===void 0||$e.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,
Fs=Symbol(),Is=new WeakMap,we=class{constructor(i,t,e){if(this._$cssResult$=!0,e!==Fs)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` inst\
ead.");this.cssText=i,this.t=t}get styleSheet(){let i=this.o,t=this.t;if(Se&&i===void 0){let e=t!==void 0&&t.length===1;e&&(i=Is.get(t)),i===void 0&&((this.o=i=
new CSSStyleSheet).replaceSync(this.cssText),e&&Is.set(t,i))}return i}toString(){return this.cssText}},qs=n=>new we(typeof n=="string"?n:n+"",void 0,Fs);var Hs=(n,i)=>{if(Se)n.adoptedStyleSheets=i.map(t=>t instanceof CSSStyleSheet?t:t.styleSheet);else for(let t of i){let e=document.createElement("style"),s=$e.litNonce;
s!==void 0&&e.setAttribute("nonce",s),e.textContent=t.cssText,n.appendChild(e)}},is=Se?n=>n:n=>n instanceof CSSStyleSheet?(i=>{let t="";for(let e of i.cssRules)
t+=e.cssText;return qs(t)})(n):n;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:Tn,defineProperty:Mn,getOwnPropertyDescriptor:An,getOwnPropertyNames:_n,getOwnPropertySymbols:Rn,getPrototypeOf:Cn}=Object,ke=globalThis,Ds=ke.trustedTypes,
Pn=Ds?Ds.emptyScript:"",On=ke.reactiveElementPolyfillSupport,ee=(n,i)=>n,se={toAttribute(n,i){switch(i){case Boolean:n=n?Pn:null;break;case Object:case Array:n=
n==null?n:JSON.stringify(n)}return n},fromAttribute(n,i){let t=n;switch(i){case Boolean:t=n!==null;break;case Number:t=n===null?null:Number(n);break;case Object:case Array:
try{t=JSON.parse(n)}catch{t=null}}return t}},xe=(n,i)=>!Tn(n,i),Ns={attribute:!0,type:String,converter:se,reflect:!1,useDefault:!1,hasChanged:xe};Symbol.metadata??=
Symbol("metadata"),ke.litPropertyMetadata??=new WeakMap;var ot=class extends HTMLElement{static addInitializer(i){this._$Ei(),(this.l??=[]).push(i)}static get observedAttributes(){
return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(i,t=Ns){if(t.state&&(t.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(i)&&
((t=Object.create(t)).wrapped=!0),this.elementProperties.set(i,t),!t.noAccessor){let e=Symbol(),s=this.getPropertyDescriptor(i,e,t);s!==void 0&&Mn(this.prototype,
i,s)}}static getPropertyDescriptor(i,t,e){let{get:s,set:r}=An(this.prototype,i)??{get(){return this[t]},set(o){this[t]=o}};return{get:s,set(o){let a=s?.call(this);
r?.call(this,o),this.requestUpdate(i,a,e)},configurable:!0,enumerable:!0}}static getPropertyOptions(i){return this.elementProperties.get(i)??Ns}static _$Ei(){if(this.
hasOwnProperty(ee("elementProperties")))return;let i=Cn(this);i.finalize(),i.l!==void 0&&(this.l=[...i.l]),this.elementProperties=new Map(i.elementProperties)}static finalize(){
if(this.hasOwnProperty(ee("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(ee("properties"))){let t=this.properties,e=[..._n(t),...Rn(t)];
for(let s of e)this.createProperty(s,t[s])}let i=this[Symbol.metadata];if(i!==null){let t=litPropertyMetadata.get(i);if(t!==void 0)for(let[e,s]of t)this.elementProperties.
set(e,s)}this._$Eh=new Map;for(let[t,e]of this.elementProperties){let s=this._$Eu(t,e);s!==void 0&&this._$Eh.set(s,t)}this.elementStyles=this.finalizeStyles(this.
styles)}static finalizeStyles(i){let t=[];if(Array.isArray(i)){let e=new Set(i.flat(1/0).reverse());for(let s of e)t.unshift(is(s))}else i!==void 0&&t.push(is(i));
return t}static _$Eu(i,t){let e=t.attribute;return e===!1?void 0:typeof e=="string"?e:typeof i=="string"?i.toLowerCase():void 0}constructor(){super(),this._$Ep=
void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(i=>this.enableUpdating=i),this._$AL=new Map,this._$E_(),
this.requestUpdate(),this.constructor.l?.forEach(i=>i(this))}addController(i){(this._$EO??=new Set).add(i),this.renderRoot!==void 0&&this.isConnected&&i.hostConnected?.()}removeController(i){
this._$EO?.delete(i)}_$E_(){let i=new Map,t=this.constructor.elementProperties;for(let e of t.keys())this.hasOwnProperty(e)&&(i.set(e,this[e]),delete this[e]);i.
size>0&&(this._$Ep=i)}createRenderRoot(){let i=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Hs(i,this.constructor.elementStyles),
i}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(i=>i.hostConnected?.())}enableUpdating(i){}disconnectedCallback(){
this._$EO?.forEach(i=>i.hostDisconnected?.())}attributeChangedCallback(i,t,e){this._$AK(i,e)}_$ET(i,t){let e=this.constructor.elementProperties.get(i),s=this.constructor.
_$Eu(i,e);if(s!==void 0&&e.reflect===!0){let r=(e.converter?.toAttribute!==void 0?e.converter:se).toAttribute(t,e.type);this._$Em=i,r==null?this.removeAttribute(
s):this.setAttribute(s,r),this._$Em=null}}_$AK(i,t){let e=this.constructor,s=e._$Eh.get(i);if(s!==void 0&&this._$Em!==s){let r=e.getPropertyOptions(s),o=typeof r.
converter=="function"?{fromAttribute:r.converter}:r.converter?.fromAttribute!==void 0?r.converter:se;this._$Em=s;let a=o.fromAttribute(t,r.type);this[s]=a??this.
_$Ej?.get(s)??a,this._$Em=null}}requestUpdate(i,t,e,s=!1,r){if(i!==void 0){let o=this.constructor;if(s===!1&&(r=this[i]),e??=o.getPropertyOptions(i),!((e.hasChanged??
xe)(r,t)||e.useDefault&&e.reflect&&r===this._$Ej?.get(i)&&!this.hasAttribute(o._$Eu(i,e))))return;this.C(i,t,e)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(i,t,{
useDefault:e,reflect:s,wrapped:r},o){e&&!(this._$Ej??=new Map).has(i)&&(this._$Ej.set(i,o??t??this[i]),r!==!0||o!==void 0)||(this._$AL.has(i)||(this.hasUpdated||
e||(t=void 0),this._$AL.set(i,t)),s===!0&&this._$Em!==i&&(this._$Eq??=new Set).add(i))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(t){Promise.
reject(t)}let i=this.scheduleUpdate();return i!=null&&await i,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)
return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[s,r]of this._$Ep)this[s]=r;this._$Ep=void 0}let e=this.constructor.elementProperties;
if(e.size>0)for(let[s,r]of e){let{wrapped:o}=r,a=this[s];o!==!0||this._$AL.has(s)||a===void 0||this.C(s,void 0,r,a)}}let i=!1,t=this._$AL;try{i=this.shouldUpdate(
t),i?(this.willUpdate(t),this._$EO?.forEach(e=>e.hostUpdate?.()),this.update(t)):this._$EM()}catch(e){throw i=!1,this._$EM(),e}i&&this._$AE(t)}willUpdate(i){}_$AE(i){
this._$EO?.forEach(t=>t.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(i)),this.updated(i)}_$EM(){this._$AL=new Map,this.isUpdatePending=
!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(i){return!0}update(i){this._$Eq&&=this._$Eq.forEach(t=>this.
_$ET(t,this[t])),this._$EM()}updated(i){}firstUpdated(i){}};ot.elementStyles=[],ot.shadowRootOptions={mode:"open"},ot[ee("elementProperties")]=new Map,ot[ee("fi\
nalized")]=new Map,On?.({ReactiveElement:ot}),(ke.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var rs=globalThis,Bs=n=>n,Ee=rs.trustedTypes,zs=Ee?Ee.createPolicy("lit-html",{createHTML:n=>n}):void 0,os="$lit$",at=`lit$${Math.random().toFixed(9).slice(2)}\
$`,as="?"+at,Ln=`<${as}>`,Mt=document,ne=()=>Mt.createComment(""),re=n=>n===null||typeof n!="object"&&typeof n!="function",ls=Array.isArray,Gs=n=>ls(n)||typeof n?.[Symbol.
iterator]=="function",ns=`[ 	
\f\r]`,ie=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Us=/-->/g,js=/>/g,Et=RegExp(`>|${ns}(?:([^\\s"'>=/]+)(${ns}*=${ns}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Ws=/'/g,Ks=/"/g,Ys=/^(?:script|style|textarea|title)$/i,hs=n=>(i,...t)=>({_$litType$:n,strings:i,values:t}),h=hs(1),H=hs(2),qo=hs(
3),G=Symbol.for("lit-noChange"),p=Symbol.for("lit-nothing"),Vs=new WeakMap,Tt=Mt.createTreeWalker(Mt,129);function Xs(n,i){if(!ls(n)||!n.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return zs!==void 0?zs.createHTML(i):i}var Qs=(n,i)=>{let t=n.length-1,e=[],s,r=i===2?"<svg>":i===3?"<math>":"",o=ie;for(let a=0;a<
t;a++){let l=n[a],c,d,m=-1,y=0;for(;y<l.length&&(o.lastIndex=y,d=o.exec(l),d!==null);)y=o.lastIndex,o===ie?d[1]==="!--"?o=Us:d[1]!==void 0?o=js:d[2]!==void 0?(Ys.
test(d[2])&&(s=RegExp("</"+d[2],"g")),o=Et):d[3]!==void 0&&(o=Et):o===Et?d[0]===">"?(o=s??ie,m=-1):d[1]===void 0?m=-2:(m=o.lastIndex-d[2].length,c=d[1],o=d[3]===
void 0?Et:d[3]==='"'?Ks:Ws):o===Ks||o===Ws?o=Et:o===Us||o===js?o=ie:(o=Et,s=void 0);let f=o===Et&&n[a+1].startsWith("/>")?" ":"";r+=o===ie?l+Ln:m>=0?(e.push(c),
l.slice(0,m)+os+l.slice(m)+at+f):l+at+(m===-2?a:f)}return[Xs(n,r+(n[t]||"<?>")+(i===2?"</svg>":i===3?"</math>":"")),e]},oe=class n{constructor({strings:i,_$litType$:t},e){
let s;this.parts=[];let r=0,o=0,a=i.length-1,l=this.parts,[c,d]=Qs(i,t);if(this.el=n.createElement(c,e),Tt.currentNode=this.el.content,t===2||t===3){let m=this.
el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=Tt.nextNode())!==null&&l.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())
if(m.endsWith(os)){let y=d[o++],f=s.getAttribute(m).split(at),$=/([.?@])?(.*)/.exec(y);l.push({type:1,index:r,name:$[2],strings:f,ctor:$[1]==="."?Me:$[1]==="?"?
Ae:$[1]==="@"?_e:_t}),s.removeAttribute(m)}else m.startsWith(at)&&(l.push({type:6,index:r}),s.removeAttribute(m));if(Ys.test(s.tagName)){let m=s.textContent.split(
at),y=m.length-1;if(y>0){s.textContent=Ee?Ee.emptyScript:"";for(let f=0;f<y;f++)s.append(m[f],ne()),Tt.nextNode(),l.push({type:2,index:++r});s.append(m[y],ne())}}}else if(s.
nodeType===8)if(s.data===as)l.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(at,m+1))!==-1;)l.push({type:7,index:r}),m+=at.length-1}r++}}static createElement(i,t){
let e=Mt.createElement("template");return e.innerHTML=i,e}};function At(n,i,t=n,e){if(i===G)return i;let s=e!==void 0?t._$Co?.[e]:t._$Cl,r=re(i)?void 0:i._$litDirective$;
return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(n),s._$AT(n,t,e)),e!==void 0?(t._$Co??=[])[e]=s:t._$Cl=s),s!==void 0&&(i=At(n,s._$AS(n,i.
values),s,e)),i}var Te=class{constructor(i,t){this._$AV=[],this._$AN=void 0,this._$AD=i,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(i){let{el:{content:t},parts:e}=this._$AD,s=(i?.creationScope??Mt).importNode(t,!0);Tt.currentNode=s;let r=Tt.nextNode(),o=0,a=0,l=e[0];for(;l!==void 0;){
if(o===l.index){let c;l.type===2?c=new Nt(r,r.nextSibling,this,i):l.type===1?c=new l.ctor(r,l.name,l.strings,this,i):l.type===6&&(c=new Re(r,this,i)),this._$AV.
push(c),l=e[++a]}o!==l?.index&&(r=Tt.nextNode(),o++)}return Tt.currentNode=Mt,s}p(i){let t=0;for(let e of this._$AV)e!==void 0&&(e.strings!==void 0?(e._$AI(i,e,
t),t+=e.strings.length-2):e._$AI(i[t])),t++}},Nt=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(i,t,e,s){this.type=2,this._$AH=p,this._$AN=void 0,
this._$AA=i,this._$AB=t,this._$AM=e,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let i=this._$AA.parentNode,t=this._$AM;return t!==void 0&&i?.nodeType===
11&&(i=t.parentNode),i}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(i,t=this){i=At(this,i,t),re(i)?i===p||i==null||i===""?(this._$AH!==p&&
this._$AR(),this._$AH=p):i!==this._$AH&&i!==G&&this._(i):i._$litType$!==void 0?this.$(i):i.nodeType!==void 0?this.T(i):Gs(i)?this.k(i):this._(i)}O(i){return this.
_$AA.parentNode.insertBefore(i,this._$AB)}T(i){this._$AH!==i&&(this._$AR(),this._$AH=this.O(i))}_(i){this._$AH!==p&&re(this._$AH)?this._$AA.nextSibling.data=i:this.
T(Mt.createTextNode(i)),this._$AH=i}$(i){let{values:t,_$litType$:e}=i,s=typeof e=="number"?this._$AC(i):(e.el===void 0&&(e.el=oe.createElement(Xs(e.h,e.h[0]),this.
options)),e);if(this._$AH?._$AD===s)this._$AH.p(t);else{let r=new Te(s,this),o=r.u(this.options);r.p(t),this.T(o),this._$AH=r}}_$AC(i){let t=Vs.get(i.strings);return t===
void 0&&Vs.set(i.strings,t=new oe(i)),t}k(i){ls(this._$AH)||(this._$AH=[],this._$AR());let t=this._$AH,e,s=0;for(let r of i)s===t.length?t.push(e=new n(this.O(ne()),
this.O(ne()),this,this.options)):e=t[s],e._$AI(r),s++;s<t.length&&(this._$AR(e&&e._$AB.nextSibling,s),t.length=s)}_$AR(i=this._$AA.nextSibling,t){for(this._$AP?.(
!1,!0,t);i!==this._$AB;){let e=Bs(i).nextSibling;Bs(i).remove(),i=e}}setConnected(i){this._$AM===void 0&&(this._$Cv=i,this._$AP?.(i))}},_t=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(i,t,e,s,r){this.type=1,this._$AH=p,this._$AN=void 0,this.element=i,this.name=t,this._$AM=s,this.options=
r,e.length>2||e[0]!==""||e[1]!==""?(this._$AH=Array(e.length-1).fill(new String),this.strings=e):this._$AH=p}_$AI(i,t=this,e,s){let r=this.strings,o=!1;if(r===void 0)
i=At(this,i,t,0),o=!re(i)||i!==this._$AH&&i!==G,o&&(this._$AH=i);else{let a=i,l,c;for(i=r[0],l=0;l<r.length-1;l++)c=At(this,a[e+l],t,l),c===G&&(c=this._$AH[l]),
o||=!re(c)||c!==this._$AH[l],c===p?i=p:i!==p&&(i+=(c??"")+r[l+1]),this._$AH[l]=c}o&&!s&&this.j(i)}j(i){i===p?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,i??"")}},Me=class extends _t{constructor(){super(...arguments),this.type=3}j(i){this.element[this.name]=i===p?void 0:i}},Ae=class extends _t{constructor(){
super(...arguments),this.type=4}j(i){this.element.toggleAttribute(this.name,!!i&&i!==p)}},_e=class extends _t{constructor(i,t,e,s,r){super(i,t,e,s,r),this.type=
5}_$AI(i,t=this){if((i=At(this,i,t,0)??p)===G)return;let e=this._$AH,s=i===p&&e!==p||i.capture!==e.capture||i.once!==e.once||i.passive!==e.passive,r=i!==p&&(e===
p||s);s&&this.element.removeEventListener(this.name,this,e),r&&this.element.addEventListener(this.name,this,i),this._$AH=i}handleEvent(i){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,i):this._$AH.handleEvent(i)}},Re=class{constructor(i,t,e){this.element=i,this.type=6,this._$AN=void 0,this.
_$AM=t,this.options=e}get _$AU(){return this._$AM._$AU}_$AI(i){At(this,i)}},Zs={M:os,P:at,A:as,C:1,L:Qs,R:Te,D:Gs,V:At,I:Nt,H:_t,N:Ae,U:_e,B:Me,F:Re},In=rs.litHtmlPolyfillSupport;
In?.(oe,Nt),(rs.litHtmlVersions??=[]).push("3.3.3");var Js=(n,i,t)=>{let e=t?.renderBefore??i,s=e._$litPart$;if(s===void 0){let r=t?.renderBefore??null;e._$litPart$=
s=new Nt(i.insertBefore(ne(),r),r,void 0,t??{})}return s._$AI(n),s};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var cs=globalThis,ft=class extends ot{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let i=super.createRenderRoot();
return this.renderOptions.renderBefore??=i.firstChild,i}update(i){let t=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(
i),this._$Do=Js(t,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),
this._$Do?.setConnected(!1)}render(){return G}};ft._$litElement$=!0,ft.finalized=!0,cs.litElementHydrateSupport?.({LitElement:ft});var Fn=cs.litElementPolyfillSupport;
Fn?.({LitElement:ft});(cs.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var x=n=>(i,t)=>{t!==void 0?t.addInitializer(()=>{customElements.define(n,i)}):customElements.define(n,i)};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var qn={attribute:!0,type:String,converter:se,reflect:!1,hasChanged:xe},Hn=(n=qn,i,t)=>{let{kind:e,metadata:s}=t,r=globalThis.litPropertyMetadata.get(s);if(r===
void 0&&globalThis.litPropertyMetadata.set(s,r=new Map),e==="setter"&&((n=Object.create(n)).wrapped=!0),r.set(t.name,n),e==="accessor"){let{name:o}=t;return{set(a){
let l=i.get.call(this);i.set.call(this,a),this.requestUpdate(o,l,n,!0,a)},init(a){return a!==void 0&&this.C(o,void 0,n,a),a}}}if(e==="setter"){let{name:o}=t;return function(a){
let l=this[o];i.call(this,a),this.requestUpdate(o,l,n,!0,a)}}throw Error("Unsupported decorator location: "+e)};function b(n){return(i,t)=>typeof t=="object"?Hn(
n,i,t):((e,s,r)=>{let o=s.hasOwnProperty(r);return s.constructor.createProperty(r,e),o?Object.getOwnPropertyDescriptor(s,r):void 0})(n,i,t)}/**
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
 */var Rt=(n,i,t)=>(t.configurable=!0,t.enumerable=!0,Reflect.decorate&&typeof i!="object"&&Object.defineProperty(n,i,t),t);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function gt(n,i){return(t,e,s)=>{let r=o=>o.renderRoot?.querySelector(n)??null;if(i){let{get:o,set:a}=typeof e=="object"?t:s??(()=>{let l=Symbol();return{get(){
return this[l]},set(c){this[l]=c}}})();return Rt(t,e,{get(){let l=o.call(this);return l===void 0&&(l=r(this),(l!==null||this.hasUpdated)&&a.call(this,l)),l}})}return Rt(
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
 */var Ce={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Pe=n=>(...i)=>({_$litDirective$:n,values:i}),Bt=class{constructor(i){}get _$AU(){
return this._$AM._$AU}_$AT(i,t,e){this._$Ct=i,this._$AM=t,this._$Ci=e}_$AS(i,t){return this.update(i,t)}update(i,t){return this.render(...t)}};var us=class extends Bt{constructor(i){if(super(i),i.type!==Ce.ATTRIBUTE||i.name!=="style")throw new Error("styles() belongs into `style`")}render(i){return G}update(i,[
t]){let{style:e}=i.element;for(let[s,r]of Object.entries(t))e.setProperty(s,r);return G}},P=Pe(us);function ds(n){let i=10**Math.floor(Math.log10(n/2)),t=[5,2,1].map(e=>e*i).find(e=>n/e>=2)??i;return Array.from({length:Math.floor(n/t)+1},(e,s)=>s*t)}function ae(n,i=!1){
let t=Math.max(1e-9,...n.map(({value:e})=>e));return h`<div class=${i?"bars is-wide":"bars"}>${n.map(({name:e,title:s,value:r,shown:o,note:a,link:l})=>{let c=h`<span class="bar-name" title=${s}>${e}</span><span class="bar-value">${o}${a?
h` <small>${a}</small>`:p}</span>
      <span class="bar-fill series-0" style=${P({width:`${r/t*100}%`})}></span>`;return l===null?h`<div class="bar">${c}</div>`:h`<a class="bar" href=${l}>${c}</a>`})}</div>`}
function Oe(n,i,t,e){let s=Math.max(1e-9,...n.map(({value:o})=>o)),r=h`<div class="chart-axis" aria-hidden="true">${ds(s).map(o=>h`<span style=${P({"--at":String(
1-o/s)})}>${e(o)}</span>`)}</div>`;return h`<div class="standing-frame">${r}<div class="standing" role="group" aria-label=${i}>${n.map((o,a)=>{let l=`${o.title}\
: ${o.shown}`,c=o.value>0?`max(2px, ${o.value/s*100}%)`:"0",d=h`<span class="column-fill" style=${P({height:c})}></span><span class="tick" aria-hidden="true">${t(
o,a)}</span>`;return o.link===null?h`<span class="column" role="img" aria-label=${l} title=${l}>${d}</span>`:h`<a class="column" href=${o.link} aria-label=${l} title=${l}>${d}</a>`})}</div></div>`}
function ti(n){if(!n||n.every(e=>e===0))return h`<span class="spark"></span>`;let i=Math.max(...n),t=n.map((e,s)=>e===0?"":`M${s*3+1} 16v${-Math.max(1.5,e/i*15)}`).
join("");return h`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${t}></path></svg>`}var z=class extends Error{constructor(i,t=null){super(i),this.hint=t}};function zt(n){return(n.title??"").replace(/^user: /,"")||"Untitled branch"}function I(n){
return n instanceof z?n.hint?`${n.message} ${n.hint}`:n.message:n instanceof Error?n.message:String(n)}function ei(n){let i=n.reduce((s,[,r])=>s+r,0),t=new Int32Array(
i),e=0;for(let[s,r]of n)for(let o=0;o<r;o+=1)t[e++]=s+o;return t}function Ut(n){return{at:n.at??0,parent:n.parent??null,id:n.id??"",kind:n.kind??"note",who:n.who??
"",what:n.what??null,particulars:n.particulars??[],label:n.label??null,time:n.time??null,isError:!!n.isError,isFolded:!!n.isFolded,summary:n.summary??"",body:n.
body??[],calls:n.calls??[]}}var E=class extends ft{createRenderRoot(){return this}};function yt(n){let i=document.getElementById("announcer");i&&i.textContent!==n&&(i.textContent=n)}function F(n){
window.dispatchEvent(new CustomEvent("toast",{detail:n}))}function w(n){n.catch(i=>F(I(i)))}function X(n,i){let t=0;return(...e)=>{clearTimeout(t),t=window.setTimeout(
()=>i(...e),n)}}async function Q(n){try{await navigator.clipboard.writeText(n)}catch{let i=document.createElement("textarea");i.value=n,document.body.append(i),
i.select(),document.execCommand("copy"),i.remove()}}var si=new Intl.NumberFormat("en-US"),Dn=new Intl.NumberFormat("en-US",{notation:"compact",maximumFractionDigits:1}),ii=new Intl.DateTimeFormat("en-US",{hour:"n\
umeric",minute:"2-digit"}),Nn=new Intl.DateTimeFormat("en-US",{month:"short",day:"numeric"}),Bn=new Intl.DateTimeFormat("en-US",{year:"numeric",month:"short",day:"\
numeric"}),zn=new Intl.DateTimeFormat("en-US",{dateStyle:"medium",timeStyle:"medium"}),Un=864e5;function v(n){return si.format(n)}function L(n){return n<1e3?si.
format(Math.round(n)):Dn.format(n).toLowerCase()}function vt(n){return`entry ${v(n+1)}`}function k(n,i,t=`${i}s`){return`${v(n)} ${n===1?i:t}`}function Ct(n){return n===
null?"\u2013":n===0?"$0":n<.01?"<$0.01":`$${n.toLocaleString("en-US",{minimumFractionDigits:2,maximumFractionDigits:2})}`}function bt(n){if(n===null)return"";let i=new Date(
n),t=new Date;return i.toDateString()===t.toDateString()?ii.format(i):t.getTime()-n<300*Un?Nn.format(i):Bn.format(i)}function ni(n){return n===null?"":ii.format(
new Date(n))}function Pt(n){return n===null?"":zn.format(new Date(n))}function K(n,i=2){let t=n.split("/").filter(Boolean);return t.length<=i?n:t.slice(-i).join(
"/")}function T(n,i=160){let t=n.replace(/\s+/g," ").trim();return t.length>i?`${t.slice(0,i-1)}\u2026`:t}var Ot=1e3,lt=240,jn=250,Wn=10,Z=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.selected=-1;this.turn=null;this.failure="";
this.loadedAs="";this.pressed=t=>{let e=Le(this.facts?.turns??[]),r={ArrowLeft:-1,ArrowRight:1,PageUp:-10,PageDown:10,Home:-e.length,End:e.length}[t.key],o=e[this.
selected];if(t.key==="Enter"&&o)this.pick(o);else if(r!==void 0)this.selected=Math.max(0,Math.min(e.length-1,this.selected+r));else return;t.preventDefault(),t.
stopPropagation()};this.pointed=t=>{let e=t.currentTarget.getBoundingClientRect(),s=Le(this.facts?.turns??[]);this.selected=Math.max(0,Math.min(s.length-1,Math.
floor((t.clientX-e.left)/e.width*s.length)))}}willUpdate(t){let e=`${this.model.key} ${this.model.leaf}`;e===this.loadedAs||!this.model.facts||(this.loadedAs=e,
w(this.load()))}async load(){[this.turn,this.facts,this.failure]=[null,null,""];let{loadedAs:t}=this,e=await this.model.source.context(this.model.key,this.model.
leaf).catch(o=>I(o));if(t!==this.loadedAs)return;if(typeof e=="string"){this.failure=e;return}this.facts=e;let s=Le(e.turns),r=this.at===null?-1:s.findIndex(({turn:o})=>o.
at>=(this.at??0));this.selected=r>=0?r:s.length-1}pick({turn:t}){let{facts:e}=this;w(this.model.source.context(this.model.key,t.at).then(s=>{e===this.facts&&([this.
turn,this.failure]=[{name:ps(t),facts:s},""])},s=>{e===this.facts&&([this.turn,this.failure]=[null,I(s)])}))}chart(t,e){let s=ri(t),r=Math.max(1,...e.map(({turn:d})=>d.
total)),o=t.window!==null&&r>=t.window/Wn,a=o?Math.max(r,(t.window??0)*1.04):r,l=e[this.selected],c=l?`${ps(l.turn)}: ${v(l.turn.total)} tokens`:"";return h`<div class="chart-frame"><div class="chart-axis" aria-hidden="true">${ds(
a).map(d=>h`<span style=${P({"--at":String(1-d/a)})}>${L(d)}</span>`)}</div>
      <svg class="context-chart" viewBox="0 0 ${Ot} ${lt}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by reply"
        aria-valuemin="1" aria-valuemax=${Math.max(1,e.length)} aria-valuenow=${this.selected+1} aria-valuetext=${c} @keydown=${this.pressed} @pointermove=${this.
pointed}
        @click=${()=>l&&this.pick(l)}>
        ${e.map((d,m)=>Kn(d,m,e.length,s,a))}
        ${e.map((d,m)=>d.compacts?H`<line class="compaction" x1=${m*Ot/e.length} x2=${m*Ot/e.length} y1="0" y2=${lt}></line>`:p)}
        ${t.window&&o?H`<line class="limit" x1="0" x2=${Ot} y1=${lt-t.window/a*lt} y2=${lt-t.window/a*lt}></line>`:p}
        ${l?H`<rect class="selected" x=${this.selected*Ot/e.length} width=${Ot/e.length} y="0" height=${lt}></rect>`:p}
      </svg>${t.window&&o?h`<span class="limit-name" style=${P({"--at":String(1-t.window/a)})}>window: ${L(t.window)}</span>`:p}</div>
      ${t.window&&!o?h`<p class="muted">The model’s context window (${L(t.window)} tokens) is far above this chart.</p>`:p}
      ${l?this.readout(l,s):p}`}readout({turn:t,compacts:e},s){return h`<p class="readout"><span><a href=${this.model.link(t.at)}>${ps(t)}</a>: <b>${v(t.total)}</b> tokens${t.
reported&&t.reported!==t.total?h` (${v(t.reported)} reported)`:p}${e&&!t.compaction?", after a compaction":""}</span>
      ${s.map((r,o)=>t.parts[r]?h`<span class=${`key series-${o%8}`}>${r} ${L(t.parts[r]??0)}</span>`:p)}</p>`}render(){let t=this.facts;if(!t)return h`<div class="page-pad"><p class=${this.
failure?"notice is-bad":"muted"}>${this.failure||"Computing the context\u2026"}</p></div>`;let e=this.turn?.facts??t,s=Le(t.turns),r=Math.max(1,...e.largest.map(
({tokens:l})=>l)),o=ri(t),a=l=>`series-${(o.includes(l)?o:e.parts.map(c=>c.name)).indexOf(l)%8}`;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${L(t.total)}</b><span>tokens now</span></div>
        ${t.window?h`<div><b>${Math.round(t.total/t.window*100)}%</b><span>of the model’s ${L(t.window)}</span></div>`:p}
        <div><b>${v(t.replies)}</b><span>${t.replies===1?"reply":"replies"}</span></div><div><b>${v(t.compactions)}</b><span>${t.compactions===1?"compaction":"c\
ompactions"}</span></div>
      </div>
      <section class="card"><h2>Context by reply</h2>${s.length===0?h`<p class="muted">No request was sent on this branch.</p>`:this.chart(t,s)}</section>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:p}
      ${this.turn?h`<p><button class="quiet" @click=${()=>this.turn=null}>Back to now</button></p>`:p}
      <div class="columns">
        <section class="card"><h2>${this.turn?this.turn.name:"Now"}</h2>${e.parts.map(({name:l,tokens:c})=>oi(l,c,Math.max(1,...e.parts.map(d=>d.tokens)),a(l),null))}</section>
        <section class="card"><h2>Largest entries${this.turn?`: ${this.turn.name}`:p}</h2>${e.largest.map(({at:l,what:c,tokens:d})=>oi(T(c,110),d,r,"series-2",this.
model.link(l)))}
          ${e.largest.length===0?h`<p class="muted">Nothing yet.</p>`:p}</section>
      </div>
      <p class="muted">${k(t.replies,"reply","replies")} on this branch. Sizes are estimated as Pi does it, up to the total that the provider reported.${t.window?
"":" The size of the model\u2019s context window is not known."}</p>
    </div>`}};u([b({attribute:!1})],Z.prototype,"model",2),u([b({attribute:!1})],Z.prototype,"at",2),u([g()],Z.prototype,"facts",2),u([g()],Z.prototype,"selecte\
d",2),u([g()],Z.prototype,"turn",2),u([g()],Z.prototype,"failure",2),Z=u([x("pt-context")],Z);function ps({reply:n,compaction:i}){return i?`Compaction after rep\
ly ${v(n)}`:`Reply ${v(n)}`}function ri({parts:n,turns:i}){return[...new Set([...n.map(({name:t})=>t),...i.flatMap(t=>Object.keys(t.parts))])]}function Kn({turn:n},i,t,e,s){
let r=Ot/t,o=t>80?0:1.5,a=0;return e.map((l,c)=>{let d=(n.parts[l]??0)/s*lt;return a+=d,H`<rect class=${`series-${c%8}`} x=${i*r} y=${lt-a} width=${r-o} height=${d}></rect>`})}
function oi(n,i,t,e,s){let r=h`<span class="bar-name">${n}</span><span class="bar-value">${L(i)}</span><span class=${`bar-fill ${e}`} style=${P({width:`${i/t*100}\
%`})}></span>`;return s===null?h`<div class="bar">${r}</div>`:h`<a class="bar" href=${s}>${r}</a>`}function Le(n){let i=Math.max(1,Math.ceil(n.length/jn)),t=[];
for(let e=0;e<n.length;e+=i){let s=n.slice(e,e+i),r=s.reduce((o,a)=>a.total>o.total?a:o);t.push({turn:r,compacts:s.some(({compaction:o})=>o)})}return t}/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:Vn}=Zs,ai=n=>n;var li=()=>document.createComment(""),jt=(n,i,t)=>{let e=n._$AA.parentNode,s=i===void 0?n._$AB:i._$AA;if(t===void 0){let r=e.insertBefore(li(),s),o=e.insertBefore(
li(),s);t=new Vn(r,o,n,n.options)}else{let r=t._$AB.nextSibling,o=t._$AM,a=o!==n;if(a){let l;t._$AQ?.(n),t._$AM=n,t._$AP!==void 0&&(l=n._$AU)!==o._$AU&&t._$AP(l)}
if(r!==s||a){let l=t._$AA;for(;l!==r;){let c=ai(l).nextSibling;ai(e).insertBefore(l,s),l=c}}}return t},$t=(n,i,t=n)=>(n._$AI(i,t),n),Gn={},hi=(n,i=Gn)=>n._$AH=i,
ci=n=>n._$AH,Ie=n=>{n._$AR(),n._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var ui=(n,i,t)=>{let e=new Map;for(let s=i;s<=t;s++)e.set(n[s],s);return e},Wt=Pe(class extends Bt{constructor(n){if(super(n),n.type!==Ce.CHILD)throw Error("\
repeat() can only be used in text expressions")}dt(n,i,t){let e;t===void 0?t=i:i!==void 0&&(e=i);let s=[],r=[],o=0;for(let a of n)s[o]=e?e(a,o):o,r[o]=t(a,o),o++;
return{values:r,keys:s}}render(n,i,t){return this.dt(n,i,t).values}update(n,[i,t,e]){let s=ci(n),{values:r,keys:o}=this.dt(i,t,e);if(!Array.isArray(s))return this.
ut=o,r;let a=this.ut??=[],l=[],c,d,m=0,y=s.length-1,f=0,$=r.length-1;for(;m<=y&&f<=$;)if(s[m]===null)m++;else if(s[y]===null)y--;else if(a[m]===o[f])l[f]=$t(s[m],
r[f]),m++,f++;else if(a[y]===o[$])l[$]=$t(s[y],r[$]),y--,$--;else if(a[m]===o[$])l[$]=$t(s[m],r[$]),jt(n,l[$+1],s[m]),m++,$--;else if(a[y]===o[f])l[f]=$t(s[y],r[f]),
jt(n,s[m],s[y]),y--,f++;else if(c===void 0&&(c=ui(o,f,$),d=ui(a,m,y)),c.has(a[m]))if(c.has(a[y])){let S=d.get(o[f]),O=S!==void 0?s[S]:null;if(O===null){let C=jt(
n,s[m]);$t(C,r[f]),l[f]=C}else l[f]=$t(O,r[f]),jt(n,s[m],O),s[S]=null;f++}else Ie(s[y]),y--;else Ie(s[m]),m++;for(;f<=$;){let S=jt(n,l[$+1]);$t(S,r[f]),l[f++]=S}
for(;m<=y;){let S=s[m++];S!==null&&Ie(S)}return this.ut=o,hi(n,l),G}});function di(n){return typeof n=="object"?n.key:n}function pi(n,i){let t=n.length;return new Proxy(n,{get(e,s,r){if(typeof s=="string"){let o=s.charCodeAt(0);if(o>=
48&&o<=57){let a=+s;if(Number.isInteger(a)&&a>=0&&a<t){let l=e[a];if(typeof l!="object"){let c=i[a*2];l=e[a]={index:a,key:l,start:c,size:i[a*2+1],end:c+i[a*2+1],
lane:0}}return l}}if(s==="length")return t}return Reflect.get(e,s,r)}})}function Lt(n,i,t){let e=t.initialDeps??[],s,r=!0;function o(){var a;let c=0,d=n();if(!(d.length!==e.length||d.some((f,$)=>e[$]!==f)))return s;e=d;let y=0;return s=
i(...d),t?.onChange&&!(r&&t.skipInitialOnChange)&&t.onChange(s),r=!1,s}return o.updateDeps=a=>{e=a},o}function ms(n,i){if(n===void 0)throw new Error(`Unexpected\
 undefined${i?`: ${i}`:""}`);return n}var ht=(n,i)=>Math.abs(n-i)<1.01,mi=(n,i,t)=>{let e;return Object.assign(function(...s){n.clearTimeout(e),e=n.setTimeout(()=>i.
apply(this,s),t)},{cancel:()=>{n.clearTimeout(e)}})};function fi({offset:n,isScrolling:i,elementMax:t,holdOffset:e,scrollOffset:s,pendingWrite:r,clampedMaxAtWrite:o}){var a;return i&&r===null&&n===s?"spurious":r!==
null&&Math.abs(n-r.target)<1.5?"readBack":r!==null&&!r.smooth&&t!==null&&r.target>t+e+.5&&Math.abs(n-(t+e))<1.5||r!==null&&!r.smooth&&((a=r.lowMaxes)!=null&&a.some(
l=>Math.abs(n-l)<1.5))?"clampedReadBack":o!==null&&Math.abs(n-o)<1.5?"clampedEcho":"external"}var Yn=n=>n==="smooth"||n==="smoothFinishing";function gi({kind:n,
offset:i,command:t,target:e}){return n!=="spurious"&&n!=="readBack"&&n!=="clampedReadBack"&&t?.index!=null&&t.phase!=="queued"&&!Yn(t.phase)&&!ht(i,t.lastTargetOffset)&&
!ht(i,e())&&n!=="clampedEcho"}var fs=40;function yi(n){let i=n[n.length-1];if(i===void 0)return!1;let t=n.length-2;for(;t>=0&&i.t-n[t].t<fs;)t--;if(t<0)return!1;
let e=n[t],s=t-1;for(;s>=0&&e.t-n[s].t<fs;)s--;if(s<0)return!1;let r=n[s],o=(i.offset-e.offset)/(i.t-e.t),a=(e.offset-r.offset)/(e.t-r.t);return o*a>=0&&Math.abs(
o)>=2*Math.abs(a)&&Math.abs(o)-Math.abs(a)>=.8}function vi(n){let i=n[n.length-1];if(i===void 0)return!1;let t=n.length-2;for(;t>=0&&i.t-n[t].t<fs;)t--;if(t<0)return!1;
let e=n[t];return Math.abs(i.offset-e.offset)/(i.t-e.t)>=.05}var le,he=()=>{if(le!==void 0)return le;if(typeof navigator>"u")return le=!1;if(/iP(hone|od|ad)/.test(navigator.userAgent))return le=!0;let n=navigator.maxTouchPoints;
return le=navigator.platform==="MacIntel"&&n!==void 0&&n>0},gs,Xn=()=>gs!==void 0?gs:gs=he()&&typeof CSS<"u"&&typeof CSS.supports=="function"&&CSS.supports("ove\
rflow-anchor: auto"),bi=()=>!he()||Xn();var Kt={capture:!0,passive:!0},Fe=class{constructor(i){this.host=i,this._touch=null,this.inMotion=()=>this._touch!==null&&this._touch.phase!=="lateFling",this.dragging=
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
_touch=r}}get touch(){return this._touch}};var $i=n=>{let{clientWidth:i,clientHeight:t}=n;return{width:i,height:t}},ki=n=>{let i=new Set;return{schedule:t=>{let e=n.requestAnimationFrame(()=>{i.delete(e),
t()});i.add(e)},cancel:()=>{i.forEach(t=>n.cancelAnimationFrame(t)),i.clear()}}},Qn=n=>n,ys=n=>{let i=n.overscan*Math.max(n.lanes??1,1),t=Math.max(n.startIndex-
i,0),s=Math.min(n.endIndex+i,n.count-1)-t+1,r=new Array(s);for(let o=0;o<s;o++)r[o]=t+o;return r},xi=(n,i)=>{let t=n.scrollElement;if(!t)return;let e=n.targetWindow;
if(!e)return;let s=a=>{let{width:l,height:c}=a;i({width:Math.round(l),height:Math.round(c)})};if(s($i(t)),!e.ResizeObserver)return()=>{};let r=ki(e),o=new e.ResizeObserver(
()=>{let a=()=>{s($i(t))};n.options.useAnimationFrameWithResizeObserver?r.schedule(a):a()});return o.observe(t,{box:"content-box"}),()=>{o.unobserve(t),r.cancel()}},
wi={passive:!0};var Zn=typeof window>"u"?!0:"onscrollend"in window,Jn=(n,i,t)=>{let e=n.scrollElement;if(!e)return;let s=n.targetWindow;if(!s)return;let r=n.options.useScrollendEvent&&
Zn,o=0,a=r?null:mi(s,()=>i(t(e),!1),n.options.isScrollingResetDelay),l=m=>()=>{o=t(e),a?.(),i(o,m)},c=l(!0),d=l(!1);return e.addEventListener("scroll",c,wi),r&&
e.addEventListener("scrollend",d,wi),()=>{e.removeEventListener("scroll",c),r&&e.removeEventListener("scrollend",d),a?.cancel()}},Ei=(n,i)=>Jn(n,i,t=>{let{horizontal:e,
isRtl:s}=n.options;return e?t.scrollLeft*(s&&-1||1):t.scrollTop});var vs=(n,i,t)=>{if(t.options.useCachedMeasurements){let e=t.indexFromElement(n),s=t.options.getItemKey(e);return t.itemSizeCache.get(s)??t.options.estimateSize(
e)}if(i?.borderBoxSize){let e=i.borderBoxSize[0];if(e)return Math.round(e[t.options.horizontal?"inlineSize":"blockSize"])}if(!i){let e=t.indexFromElement(n),s=t.
options.getItemKey(e),r=t.itemSizeCache.get(s);if(r!==void 0)return r}return n[t.options.horizontal?"offsetWidth":"offsetHeight"]},tr=(n,{adjustments:i=0,behavior:t},e)=>{
var s;let{scrollElement:r,options:o}=e,a=n+i,l=o.horizontal&&o.isRtl&&r!==null&&"ownerDocument"in r;(s=r?.scrollTo)==null||s.call(r,{[o.horizontal?"left":"top"]:l?
-a:a,behavior:t})};var Ti=tr,Si=(n,i)=>n==="smooth"?i?"smoothLanded":"smooth":"instant",ce=n=>n?.phase==="smooth"||n?.phase==="smoothLanded";function er(n,i,t,e){if(i===0)return!1;
let s=e(0),r=new Set,o=0;for(;o<n;){let l=t(o);if(l===s)break;r.add(l),o++}let a=n-o;if(a===0||a>=i)return!1;for(let l=0;l<a;l++)if(e(l)!==t(o+l))return!1;for(let l=a;l<
i;l++)if(r.has(e(l)))return!1;return!0}var qe=class{constructor(i){this.unsubs=[],this.scrollElement=null,this.targetWindow=null,this.isScrolling=!1,this.scrollState=
null,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache=new Map,this.itemSizeCacheVersion=0,this.laneAssignments=new Map,this.pendingMin=
null,this.prevLanes=void 0,this.lanesChangedFlag=!1,this.lanesSettling=!1,this.pendingScrollAnchor=null,this.scrollRect=null,this.scrollOffset=null,this.scrollDirection=
null,this._holdOffset=0,this._reportedOverscroll=!1,this._iosGesture=new Fe({getWindow:()=>this.targetWindow,now:()=>this.now(),tailStillMoving:()=>{let t=this.
scrollState;if(t?.phase!=="queued"||this.pendingWrite!==null)return!1;let e=this._readElementOffset();return e===null||this._lastElementOffset===null||Math.abs(
e-this._lastElementOffset)<1?!1:(this._lastElementOffset=e,t.samples=[...t.samples??[],{t:this.now(),offset:e}],!0)},onTailClosed:()=>{let t=this.scrollState;t?.
phase==="queued"&&vi(t.samples??[])&&(this.scrollState=null),this._flushHoldIfReady(!0),this._writeAwaitingCommand(),this._retryClampedAdjustment()}}),this._lastElementOffset=
null,this.pendingWrite=null,this._clampedAdjustment=null,this.elementsCache=new Map,this._resizeBatch=null,this.now=()=>{var t,e,s;return((s=(e=(t=this.targetWindow)==
null?void 0:t.performance)==null?void 0:e.now)==null?void 0:s.call(e))??Date.now()},this.observer=(()=>{let t=null,e=null,s=!1,r=!1,o=new Set,a=()=>{if(t)return t;
let c=this.targetWindow;if(!c||!c.ResizeObserver)return null;let d=e=ki(c);return t=new c.ResizeObserver(m=>{let y=()=>{let f={sync:!1};this._resizeBatch=f;try{
m.forEach(l)}finally{this._resizeBatch=null,f.notify&&(this.notify(f.sync),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment(),this.measureElement(
null))}};if(this.options.useAnimationFrameWithResizeObserver)d.schedule(y);else{s=!0;try{y()}finally{s=!1}}})},l=c=>{let d=c.target,m=this.indexFromElement(d);if(!d.
isConnected){this.observer.unobserve(d);for(let[y,f]of this.elementsCache)if(f===d){this.elementsCache.delete(y);break}return}this.isIndexInRange(m)&&this.shouldMeasureDuringScroll(
m)&&this.resizeItem(m,this.options.measureElement(d,c,this))};return{disconnect:()=>{var c;(c=a())==null||c.disconnect(),e?.cancel(),o.clear(),r=!1,t=null,e=null},
observe:c=>{let d=a();if(d){if(!s){d.observe(c,{box:"border-box"});return}o.add(c),r||(r=!0,e?.schedule(()=>{r=!1,o.forEach(m=>{m.isConnected&&t?.observe(m,{box:"\
border-box"})}),o.clear()}))}},unobserve:c=>{var d;o.delete(c),(d=a())==null||d.unobserve(c)}}})(),this.range=null,this.setOptions=t=>{var e;let s={debug:!1,initialOffset:0,
overscan:1,paddingStart:0,paddingEnd:0,scrollPaddingStart:0,scrollPaddingEnd:0,horizontal:!1,getItemKey:Qn,rangeExtractor:ys,onChange:()=>{},measureElement:vs,initialRect:{
width:0,height:0},scrollMargin:0,gap:0,indexAttribute:"data-index",initialMeasurementsCache:[],lanes:1,anchorTo:"start",followOnAppend:!1,scrollEndThreshold:1,isScrollingResetDelay:150,
enabled:!0,isRtl:!1,useScrollendEvent:!1,useAnimationFrameWithResizeObserver:!1,laneAssignmentMode:"estimate",useCachedMeasurements:!1};for(let d in t){let m=t[d];
m!==void 0&&(s[d]=m)}let r=this.options,o=null,a=null,l=!1;if(r!==void 0&&r.enabled&&s.enabled&&s.anchorTo==="end"&&this.scrollElement!==null){let d=r.count,m=s.
count,y=this.getMeasurements(),f=((e=this._singleLaneMeasurements)==null?void 0:e.items)??y,$=M=>di(f[M]),S=d>0?$(0):null,O=d>0?$(d-1):null;if(m!==d||d>0&&m>0&&
(s.getItemKey(0)!==S||s.getItemKey(m-1)!==O)){l=!0;let M=d>0?this.getVirtualItemForOffset(this.getScrollOffset())??y[0]:null;M&&(o=[M.key,this.getScrollOffset()-
M.start]);let rt=s.followOnAppend===!0?"auto":s.followOnAppend||null;rt&&m>0&&this.isAtEnd(r.scrollEndThreshold)&&(d===0||s.getItemKey(m-1)!==O)&&(m>d||er(d,m,$,
s.getItemKey))&&(a=rt)}}this.options=s,l&&(this.pendingMin=0,this.itemSizeCacheVersion++);let c=null;if(o&&this.scrollOffset!==null&&!this._awaitingCommandReadBack()){
let[d,m]=o,y=this.getMeasurements(),{count:f,getItemKey:$}=this.options,S=0;for(;S<f&&$(S)!==d;)S++;if(S<f){let O=y[S];if(O){let C=Math.max(0,O.start+m);!a&&C!==
this.scrollOffset&&(c=C-this.scrollOffset,this.scrollOffset=C)}}}a?this.pendingScrollAnchor={kind:"follow",behavior:a}:c!==null&&(this._canWriteScroll()?this.pendingScrollAnchor=
{kind:"anchor",delta:c}:(this._holdOffset+=c,this._followOffsetTarget(c)))},this.notify=t=>{var e,s;(s=(e=this.options).onChange)==null||s.call(e,this,t)},this.
maybeNotify=Lt(()=>(this.calculateRange(),[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]),t=>{this.notify(t)},{key:!1,
debug:()=>this.options.debug,initialDeps:[this.isScrolling,this.range?this.range.startIndex:null,this.range?this.range.endIndex:null]}),this.cleanup=()=>{var t;
this.unsubs.filter(Boolean).forEach(e=>e()),this.unsubs=[],this.observer.disconnect(),this.rafId!=null&&this.targetWindow&&(this.targetWindow.cancelAnimationFrame(
this.rafId),this.rafId=null),this.scrollState=null,(t=this._momentumStop)==null||t.restore(),this._momentumStop=null,this.isScrolling=!1,this.scrollDirection=null,
this._holdOffset=0,this._reportedOverscroll=!1,this._clampedAdjustment=null,this.pendingWrite=null,this.scrollElement=null,this.targetWindow=null},this._didMount=
()=>()=>{this.cleanup()},this._willUpdate=()=>{var t;let e=this.options.enabled?this.options.getScrollElement():null;if(this.scrollElement!==e){if(this.cleanup(),
!e){this.maybeNotify();return}this.scrollElement=e,this.scrollElement&&"ownerDocument"in this.scrollElement?this.targetWindow=this.scrollElement.ownerDocument.defaultView:
this.targetWindow=((t=this.scrollElement)==null?void 0:t.window)??null,this.elementsCache.forEach(r=>{this.observer.observe(r)}),this.unsubs.push(this.options.observeElementRect(
this,r=>{this.scrollRect=r,this.maybeNotify()})),this.unsubs.push(this.options.observeElementOffset(this,(r,o)=>{var a,l,c,d;let m=o?this._elementMaxScrollOffset():
null,y=this._reportedOverscroll;this._reportedOverscroll=r<0||m!==null&&r>m+1;let f=r;this._lastElementOffset=f,r=this._toLayoutOffset(r);let $=this._classifyScrollEvent(
r,o,m);if($==="spurious")return;$==="readBack"?r=this.pendingWrite.target:$==="clampedReadBack"&&((a=this.scrollState)==null?void 0:a.index)!=null&&r<this.getMaxScrollOffset()-
1.5?this.scrollState.lastTargetOffset=r:gi({kind:$,offset:r,command:this.scrollState,target:()=>this.getScrollStateTarget(this.scrollState)})&&(this.scrollState=
null),this.pendingWrite=null,this._clampedAdjustment!==null&&Math.abs(r-this._clampedAdjustment.maxAtWrite)>=1.5&&(this._clampedAdjustment=null);let S=this.getScrollOffset(),
O=this.scrollDirection;this.scrollDirection=o?S===r?this.scrollDirection:S<r?"forward":"backward":null,this.scrollOffset=r,this.isScrolling=o;let C=this.scrollState;
if(C?.phase==="queued"&&$==="external"&&o)if(y||this._reportedOverscroll)C.samples=[];else{let A=this.now();C.samples=[...(C.samples??[]).filter(M=>A-M.t<=200),
{t:A,offset:f}],(O!==null&&this.scrollDirection!==O||yi(C.samples))&&(this.scrollState=null)}this._iosGesture.onScroll({isScrolling:o,ownReadBack:$==="readBack",
moved:r!==S,external:$==="external"&&((l=this.scrollState)==null?void 0:l.phase)!=="smooth"&&((c=this.scrollState)==null?void 0:c.phase)!=="smoothFinishing"})&&
((d=this.scrollState)==null?void 0:d.phase)==="queued"&&(this.scrollState=null),this._flushHoldIfReady(!0),this.scrollState&&this.scheduleScrollReconcile(),this.
maybeNotify()})),"addEventListener"in this.scrollElement&&this.unsubs.push(this._iosGesture.listen(this.scrollElement)),this._scrollToOffset(this.getScrollOffset())}
this._noteClampMax();let s=this.pendingScrollAnchor;this.pendingScrollAnchor=null,s&&this.scrollElement&&this.options.enabled&&(s.kind==="anchor"?this._canWriteScroll()?
ce(this.scrollState)&&!ht(this.getScrollOffset()-s.delta,this.scrollState.lastTargetOffset)||(this._followOffsetTarget(s.delta),this._scrollToOffset(this.getScrollOffset())):
(this._holdOffset+=s.delta,this._followOffsetTarget(s.delta),this.notify(!1)):this.scrollToEnd({behavior:s.behavior})),this._flushHoldIfReady(!1),this._retryClampedAdjustment()},
this._classifyScrollEvent=(t,e,s)=>{var r;return fi({offset:t,isScrolling:e,elementMax:s,holdOffset:this._holdOffset,scrollOffset:this.scrollOffset,pendingWrite:this.
pendingWrite,clampedMaxAtWrite:((r=this._clampedAdjustment)==null?void 0:r.maxAtWrite)??null})},this._retryClampedAdjustment=()=>{if(this._clampedAdjustment===null||
!this.scrollElement||!this.options.enabled||!this._canWriteScroll())return;let{target:t,maxAtWrite:e}=this._clampedAdjustment,s=this.getMaxScrollOffset();s>e+.5&&
(this._clampedAdjustment=t>s+.5?{target:t,maxAtWrite:s}:null,this._scrollToOffset(t))},this._writeAwaitingCommand=()=>{let t=this.scrollState;if(t===null||t.phase!==
"queued")return;let{behavior:e}=t;this.getMeasurements();let s=this.getScrollStateTarget(t);t.lastTargetOffset=s,this._clampedAdjustment=null,t.phase=Si(e,t.index!=
null&&ht(s,this.getScrollOffset())),this._scrollToOffset(s,{behavior:e}),this.scheduleScrollReconcile()},this._readElementOffset=()=>{let t=this.scrollElement;if(t==
null)return null;let{horizontal:e,isRtl:s}=this.options;return typeof t.scrollTop=="number"?e?t.scrollLeft*(s&&-1||1):t.scrollTop:typeof t.scrollY=="number"?e?t.
scrollX:t.scrollY:null},this._canWriteScroll=()=>!(he()&&this._iosGesture.inMotion())&&!this._reportedOverscroll,this._flushHoldIfReady=t=>{var e;if(this._holdOffset===
0||!this.scrollElement||!this.options.enabled||!this._canWriteScroll()||((e=this.scrollState)==null?void 0:e.phase)==="smooth")return;this._holdOffset=0,this.scrollOffset!==
null&&this.scrollOffset<0&&(this.scrollOffset=0),this.notify(t);let s=this.getCommandWrittenOffset()??this.getScrollOffset();this._clampedAdjustment=this._clampedBy(
s),this._scrollToOffset(s)},this.rafId=null,this.getSize=()=>this.options.enabled?(this.scrollRect=this.scrollRect??this.options.initialRect,this.scrollRect[this.
options.horizontal?"width":"height"]):(this.scrollRect=null,0),this.getScrollOffset=()=>this.options.enabled?(this.scrollOffset=this.scrollOffset??(typeof this.
options.initialOffset=="function"?this.options.initialOffset():this.options.initialOffset),this.scrollOffset):(this.scrollOffset=null,0),this.getMeasurementOptions=
Lt(()=>[this.options.count,this.options.paddingStart,this.options.scrollMargin,this.options.getItemKey,this.options.enabled,this.options.lanes,this.options.laneAssignmentMode,
this.options.gap],(t,e,s,r,o,a,l,c)=>(this.prevLanes!==void 0&&this.prevLanes!==a&&(this.lanesChangedFlag=!0),this.prevLanes=a,this.pendingMin=null,{count:t,paddingStart:e,
scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c}),{key:!1}),this.isIndexInRange=t=>t>=0&&t<this.options.count,this.getMeasurements=Lt(()=>[
this.getMeasurementOptions(),this.itemSizeCacheVersion],({count:t,paddingStart:e,scrollMargin:s,getItemKey:r,enabled:o,lanes:a,laneAssignmentMode:l,gap:c},d)=>{
var m;let y=this.itemSizeCache;if(!o)return this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),
[];if(this.laneAssignments.size>t)for(let A of this.laneAssignments.keys())A>=t&&this.laneAssignments.delete(A);this.lanesChangedFlag&&(this.lanesChangedFlag=!1,
this.lanesSettling=!0,this.measurementsCache=[],this._singleLaneMeasurements=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.pendingMin=null),
this.measurementsCache.length===0&&!this.lanesSettling&&(this.measurementsCache=this.options.initialMeasurementsCache,this.measurementsCache.forEach(A=>{this.itemSizeCache.
set(A.key,A.size)}));let f=this.lanesSettling?0:this.pendingMin??0;if(this.pendingMin=null,this.lanesSettling&&this.measurementsCache.length===t&&(this.lanesSettling=
!1),a===1){let A=t*2,M=(m=this._singleLaneMeasurements)==null?void 0:m.flat;if(!M||M.length<A){let B=new Float64Array(A);M&&f>0&&B.set(M.subarray(0,f*2)),M=B}let rt=f===
0?new Array(t):this._singleLaneMeasurements.items.slice(),U;if(f===0)U=e+s;else{let B=f-1;U=M[B*2]+M[B*2+1]+c}for(let B=f;B<t;B++){let Qt=r(B);rt[B]=Qt;let Zt=y.
get(Qt),Jt=typeof Zt=="number"?Zt:this.options.estimateSize(B);M[B*2]=U,M[B*2+1]=Jt,U+=Jt+c}this._singleLaneMeasurements={flat:M,items:rt};let mt=pi(rt,M);return this.
measurementsCache=mt,mt}let $=this.measurementsCache.slice(0,f),S=new Array(a).fill(void 0),O=new Float64Array(a),C=0;for(let A=0;A<f;A++){let M=$[A];M&&(S[M.lane]===
void 0&&C++,S[M.lane]=A,O[M.lane]=M.end)}for(let A=f;A<t;A++){let M=r(A),rt=this.laneAssignments.get(A),U,mt,B=l==="estimate"||y.has(M);if(rt!==void 0&&this.options.
lanes>1){U=rt;let te=S[U],xt=te!==void 0?$[te]:void 0;mt=xt?xt.end+c:e+s}else if(C===a){let te=0,xt=O[0],Ls=S[0];for(let Dt=1;Dt<a;Dt++){let ss=O[Dt];(ss<xt||ss===
xt&&S[Dt]<Ls)&&(te=Dt,xt=ss,Ls=S[Dt])}U=te,mt=xt+c,B&&this.laneAssignments.set(A,U)}else U=A%this.options.lanes,mt=e+s,B&&this.laneAssignments.set(A,U);let Qt=y.
get(M),Zt=typeof Qt=="number"?Qt:this.options.estimateSize(A),Jt=mt+Zt;$[A]={index:A,start:mt,size:Zt,end:Jt,key:M,lane:U},S[U]===void 0&&C++,S[U]=A,O[U]=Jt}return this.
measurementsCache=$,$},{key:!1,debug:()=>this.options.debug}),this.calculateRange=Lt(()=>[this.getMeasurements(),this.getSize(),this.getScrollOffset(),this.options.
lanes,this._getLayoutTotalSize()+this.options.scrollMargin],(t,e,s,r,o)=>{if(t.length===0||e===0)return this.range=null,null;let a=Math.max(o-e,0);return this.range=
ir(t,e,Math.min(s,a),r,r===1&&this._singleLaneMeasurements!==null?this._singleLaneMeasurements.flat:null),this.range},{key:!1,debug:()=>this.options.debug}),this.
getVirtualIndexes=Lt(()=>{let t=null,e=null,s=this.calculateRange();return s&&(t=s.startIndex,e=s.endIndex),this.maybeNotify.updateDeps([this.isScrolling,t,e]),
[this.options.rangeExtractor,this.options.overscan,this.options.count,t,e,this.options.lanes]},(t,e,s,r,o,a)=>r===null||o===null?[]:t({startIndex:r,endIndex:o,overscan:e,
count:s,lanes:a}),{key:!1,debug:()=>this.options.debug}),this.indexFromElement=t=>{let e=this.options.indexAttribute,s=t.getAttribute(e);return s?parseInt(s,10):
(console.warn(`Missing attribute name '${e}={index}' on measured element.`),-1)},this.shouldMeasureDuringScroll=t=>{var e;if(!ce(this.scrollState))return!0;let s=this.
scrollState.index??((e=this.getVirtualItemForOffset(this.scrollState.lastTargetOffset))==null?void 0:e.index);if(s!==void 0&&this.range){let r=Math.max(this.options.
overscan,Math.ceil((this.range.endIndex-this.range.startIndex)/2)),o=Math.max(0,s-r),a=Math.min(this.options.count-1,s+r);return t>=o&&t<=a}return!0},this.measureElement=
t=>{if(!t){this.elementsCache.forEach((o,a)=>{o.isConnected||(this.observer.unobserve(o),this.elementsCache.delete(a))});return}let e=this.indexFromElement(t);if(!this.
isIndexInRange(e))return;let s=this.options.getItemKey(e),r=this.elementsCache.get(s);r!==t&&(r&&this.observer.unobserve(r),this.observer.observe(t),this.elementsCache.
set(s,t)),t.isConnected&&(!this.isScrolling||this.scrollState)&&this.shouldMeasureDuringScroll(e)&&this.resizeItem(e,this.options.measureElement(t,void 0,this))},
this.resizeItem=(t,e)=>{var s,r,o;if(!this.isIndexInRange(t))return;(s=this._resizeBatch)!=null&&s.sync&&this.getMeasurements();let a,l,c,d=(r=this._singleLaneMeasurements)==
null?void 0:r.flat;if(this.options.lanes===1&&d!=null)c=this.options.getItemKey(t),l=d[t*2],a=d[t*2+1];else{let f=this.measurementsCache[t];if(!f)return;c=f.key,
l=f.start,a=f.size}let m=this.itemSizeCache.get(c)??a,y=e-m;if(y!==0){let f=this.options.anchorTo==="end"&&!ce(this.scrollState)&&this.getVirtualDistanceFromEnd()<=
this.options.scrollEndThreshold,$=f?this._getLayoutTotalSize():0,S=this.getScrollOffset(),C=!this.itemSizeCache.has(c)?l<S:l+m<=S&&this.scrollDirection!=="backw\
ard",A=!ce(this.scrollState)&&(this.shouldAdjustScrollPositionOnItemSizeChange!==void 0?this.shouldAdjustScrollPositionOnItemSizeChange(this.measurementsCache[t]??
{index:t,key:c,start:l,size:a,end:l+a,lane:0},y,this):C);(this.pendingMin===null||t<this.pendingMin)&&(this.pendingMin=t),this.itemSizeCache.set(c,e),this.itemSizeCacheVersion++;
let M=!1;if(this._awaitingCommandReadBack()||(f?M=this.applyScrollAdjustment(this._getLayoutTotalSize()-$):A&&(M=this.applyScrollAdjustment(y))),this._resizeBatch){
this._resizeBatch.notify=!0,(o=this._resizeBatch).sync||(o.sync=M);return}this.notify(M),this._noteClampMax(),this._flushHoldIfReady(!0),this._retryClampedAdjustment()}},
this.getVirtualItems=Lt(()=>[this.getVirtualIndexes(),this.getMeasurements(),this._holdOffset],(t,e,s)=>{let r=[];for(let o=0,a=t.length;o<a;o++){let l=t[o],c=e[l];
r.push(s===0?c:{...c,start:c.start-s,end:c.end-s})}return r},{key:!1,debug:()=>this.options.debug}),this.getVirtualItemForOffset=t=>{var e;let s=this.getMeasurements();
if(s.length===0)return;let r=(e=this._singleLaneMeasurements)==null?void 0:e.flat,o=this.options.lanes===1&&r!=null,a=Mi(0,s.length-1,o?l=>r[l*2]:l=>ms(s[l]).start,
t);return ms(s[a])},this._noteClampMax=()=>{if(!this._awaitingCommandReadBack())return;let t=this._elementMaxScrollOffset();if(t===null)return;let e=this.pendingWrite,
s=Math.max(t,0)+this._holdOffset;if(s>=e.target)return;let r=e.lowMaxes??(e.lowMaxes=[]);r[r.length-1]!==s&&r.push(s)},this.getMaxScrollOffset=()=>(this._elementMaxScrollOffset()??
0)+this._holdOffset,this._toLayoutOffset=t=>{var e;let s=t+this._holdOffset;return((e=this.pendingScrollAnchor)==null?void 0:e.kind)==="anchor"&&(s+=this.pendingScrollAnchor.
delta),s},this._elementMaxScrollOffset=()=>{let t=this.scrollElement;if(t===null)return null;if("scrollHeight"in t)return this.options.horizontal?t.scrollWidth-
t.clientWidth:t.scrollHeight-t.clientHeight;if("document"in t){let e=t.document.documentElement;return this.options.horizontal?e.scrollWidth-t.innerWidth:e.scrollHeight-
t.innerHeight}return null},this._momentumStop=null,this._stopMomentum=t=>{let e=this.scrollElement,s=this.targetWindow;if(e===null||s===null)return;let r="docum\
ent"in e?e.document.scrollingElement:e;if(!r?.style)return;if(this._momentumStop){this._momentumStop.done=t;return}let{style:o}=r,a=this.options.horizontal?"ove\
rflow-x":"overflow-y",l=o.getPropertyValue(a),c=o.getPropertyPriority(a),d=()=>this.options.horizontal?r.clientHeight:r.clientWidth,m=d();if(o.setProperty(a,"hi\
dden","important"),d()!==m){o.setProperty(a,l,c);return}let y={restore:()=>o.getPropertyValue(a)!=="hidden"||o.getPropertyPriority(a)!=="important"?!1:(o.setProperty(
a,l,c),!0),done:t};this._momentumStop=y,s.requestAnimationFrame(()=>s.requestAnimationFrame(()=>{this._momentumStop===y&&(this._momentumStop=null,y.restore()&&y.
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
return!(he()&&this._iosGesture.dragging())&&t!==null&&!ht(t,this.getScrollOffset())},this._followOffsetTarget=t=>{this.scrollState!==null&&this.scrollState.index==
null&&(this.scrollState.lastTargetOffset+=t)},this.measure=()=>{this.pendingMin=null,this.itemSizeCache.clear(),this.laneAssignments.clear(),this.itemSizeCacheVersion++,
this.notify(!1)},this.setOptions(i)}get scrollAdjustments(){return 0}applyScrollAdjustment(i,t){if(i===0)return!1;if(this._followOffsetTarget(i),this._canWriteScroll()){
let e=this.getScrollOffset();this._clampedAdjustment=this._clampedBy(e+i);let s=this._scrollToOffset(e,{adjustments:i,behavior:t});return this.scrollOffset!==null&&
(this.pendingWrite===s&&(this.scrollOffset+=i),this.scrollOffset<0&&(this.scrollOffset=0)),!0}else return this._holdOffset+=i,this.scrollOffset!==null&&(this.scrollOffset+=
i),!0}scheduleScrollReconcile(){if(!this.targetWindow){this.scrollState=null;return}this.rafId==null&&(this.rafId=this.targetWindow.requestAnimationFrame(()=>{this.
rafId=null,this.reconcileScroll()}))}getScrollStateTarget(i){let t=i.toEnd?[Math.max(this.getMaxScrollOffset(),0)]:i.index!=null?this.getOffsetForIndex(i.index,
i.align):void 0;return t?t[0]:i.lastTargetOffset}reconcileScroll(){if(!this.scrollState||!this.scrollElement)return;if(this.now()-this.scrollState.startedAt>5e3){
this.scrollState=null;return}if(this.scrollState.phase==="queued"){this.scheduleScrollReconcile();return}this.getMeasurements();let e=this.getScrollStateTarget(
this.scrollState),s=this.scrollState.index==null?1:this.options.useAnimationFrameWithResizeObserver?3:2,r=e!==this.scrollState.lastTargetOffset;if(!r&&ht(e,this.
getScrollOffset())){if(this.scrollState.phase==="smooth"?this.scrollState.phase="smoothLanded":this.scrollState.phase==="smoothFinishing"&&(this.scrollState.phase=
"instant"),this.scrollState.stableFrames++,this.scrollState.stableFrames>=s){this.getScrollOffset()!==e&&this._scrollToOffset(e,{behavior:"auto"}),this.scrollState=
null;return}}else if(this.scrollState.stableFrames=0,r){let o=this.getSize()||600,a=Math.abs(e-this.getScrollOffset()),l=ce(this.scrollState)&&a>o;this.scrollState.
lastTargetOffset=e,l?this.scrollState.phase="smooth":this.scrollState.phase==="smooth"?this.scrollState.phase="smoothFinishing":this.scrollState.phase==="smooth\
Landed"&&(this.scrollState.phase="instant"),this._scrollToOffset(e,{behavior:l?"smooth":"auto"})}this.scheduleScrollReconcile()}_startScroll(i,t,e,s){this.pendingScrollAnchor=
null,this._clampedAdjustment=null;let r=this._iosGesture.tail();if(s==="absolute"&&r!==null){if(r==="fling"&&bi()){this._stopMomentum(()=>{let o=this.scrollState;
o?.phase!=="queued"||this._iosGesture.tail()!=="fling"||this._reportedOverscroll||(this._iosGesture.end(),this._flushHoldIfReady(!0),this._writeAwaitingCommand())}),
this.scrollState={...i,startedAt:this.now(),lastTargetOffset:t,stableFrames:0,phase:"queued",behavior:e,samples:[]},this.scheduleScrollReconcile();return}this._iosGesture.
end()}this.scrollState={...i,startedAt:this.now(),lastTargetOffset:t,stableFrames:0,behavior:e,phase:Si(e,i.index!=null&&ht(t,this.getScrollOffset()))},this._scrollToOffset(
t,{behavior:e}),this.scheduleScrollReconcile()}},Mi=(n,i,t,e)=>{for(;n<=i;){let s=(n+i)/2|0,r=t(s);if(r<e)n=s+1;else if(r>e)i=s-1;else return s}return n>0?n-1:0};
function sr(n,i,t){let e=0;for(;e<=i;){let s=(e+i)/2|0,r=n[s*2];if(r<t)e=s+1;else if(r>t)i=s-1;else return s}return e>0?e-1:0}function ir(n,i,t,e,s){let r=n.length-
1;if(n.length<=e)return{startIndex:0,endIndex:r};if(e===1&&s!==null){let c=sr(s,r,t),d=c,m=t+i;for(;d<r&&s[d*2]+s[d*2+1]<m;)d++;return{startIndex:c,endIndex:d}}
let a=Mi(0,r,c=>n[c].start,t),l=a;if(e===1)for(;l<r&&n[l].end<t+i;)l++;else if(e>1){let c=Array(e).fill(0);for(;l<r&&c.some(m=>m<t+i);){let m=n[l];c[m.lane]=m.end,
l++}let d=Array(e).fill(t+i);for(;a>=0&&d.some(m=>m>=t);){let m=n[a];d[m.lane]=m.start,a--}a=Math.max(0,a-a%e),l=Math.min(r,l+(e-1-l%e))}return{startIndex:a,endIndex:l}}var nr=new Set(["p","h1","h2","h3","h4","h5","h6","ul","ol","li","blockquote","pre","code","em","strong","del","a","table","thead","tbody","tr","th","td","hr","\
br","span","div","details","summary","img","dl","dt","dd"]),rr=/^(?:https?:\/\/|mailto:)/i,or=/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,ar=/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/,
lr={h1:"h3",h2:"h4",h3:"h5",h4:"h6",h5:"h6"},hr=100;function Ai(n){return typeof n=="object"&&n!==null&&!Array.isArray(n)}function It(n){return typeof n=="strin\
g"?n:null}function cr(n,i){let t=It(i);t===null||!rr.test(t)||(n.setAttribute("href",t),n.setAttribute("rel","noreferrer noopener"),n.setAttribute("target","_bl\
ank"))}function ur(n,i){let t=It(i.src)??"";n.setAttribute("src",t),n.setAttribute("alt",It(i.t)??"Image"),n.setAttribute("loading","lazy")}function dr(n,i,t){let e=It(
t.c);e!==null&&ar.test(e)&&(n.className=e);let s=It(t.t);s!==null&&i!=="img"&&(n.title=s),i==="a"&&cr(n,t.h),i==="img"&&ur(n,t),Number.isInteger(t.n)&&(n.dataset.
left=String(t.n)),i==="details"&&t.o===1&&n.setAttribute("open",""),i==="ol"&&Number.isInteger(t.s)&&n.setAttribute("start",String(t.s));let r=It(t.a);(i==="td"||
i==="th")&&r!==null&&/^(?:left|center|right)$/.test(r)&&n.classList.add(`align-${r}`)}function _i(n,i,t){if(typeof i=="string"){n.append(i);return}if(!Array.isArray(
i)||typeof i[0]!="string")return;let[e,s]=i,r=Ai(s)?s:{},o=i.slice(Ai(s)?2:1),a=nr.has(e)&&t<hr&&(e!=="img"||or.test(It(r.src)??"")),l=a?document.createElement(
lr[e]??e):n;a?dr(l,e,r):n.append(`<${e}>`);for(let c of o)_i(l,c,t+1);a&&n.append(l)}function pr(n){for(let i of n.querySelectorAll("pre, .lines"))i.tabIndex=0,
i.tagName==="PRE"&&i.setAttribute("role","region"),i.tagName==="PRE"&&i.setAttribute("aria-label","Text block")}function Y(n,i="body"){let t=document.createElement(
"div");t.className=i;for(let e of n??[])_i(t,e,0);return pr(t),t}var mr=24,Ri=new WeakMap;function Pi(n,i){let t=Ri.get(n);return t||(t=Y(n.body),bs(t),Oi(t,n.at,i,e=>Ci(e,n,i)),Ri.set(n,t)),Ci(t,n,i),t}function Ci(n,i,t){if(i.
calls.length===0)return;let e=n.querySelectorAll(":scope > .call");i.calls.forEach((s,r)=>{let o=e[r],a=s.resultAt===null?void 0:t.row(s.resultAt);if(!o||!a||o.
dataset.resultAt===String(a.at))return;o.dataset.resultAt=String(a.at),o.classList.toggle("is-failed",a.isError);let l=Y(a.body,"result");o.querySelector(":scop\
e > summary")?.append(yr(a,l)),bs(l),Oi(l,a.at,t),o.append(l),fr(o,l),gr(a,l)&&o instanceof HTMLDetailsElement&&(o.open=!0)})}function fr(n,i){if(!Li(i))return;
let t=i.textContent??"";for(let e of n.querySelectorAll(":scope > .block")){let s=[...e.querySelectorAll(".diff-add, .diff-del")].map(r=>(r.textContent??"").slice(
1).trim());e.hidden=s.length>0&&s.every(r=>t.includes(r))}}function bs(n){for(let i of n.querySelectorAll("pre")){let t=document.createElement("div");t.className=
"block";let e=document.createElement("button");e.className="copy-block",e.tabIndex=-1,e.setAttribute("aria-label","Copy this block"),e.onclick=()=>w(Q(i.textContent??
"").then(()=>F("Block copied"))),i.replaceWith(t),t.append(i,e)}}function Oi(n,i,t,e=()=>{}){for(let s of n.querySelectorAll(".cut[data-left]")){let r=document.
createElement("button");r.textContent=`Show the rest (${L(Number(s.dataset.left))} bytes)`,r.onclick=()=>w(t.source.entry(t.key,i).then(o=>{n.replaceChildren(...Y(
o.body).childNodes),bs(n),e(n)})),s.append(" ",r)}}function gr(n,i){return(Li(i)||n.isError)&&Ii(i).trim().split(`
`).length<=mr}function Li(n){return n.querySelector(".diff-add, .diff-del")!==null}function yr(n,i){let t=document.createElement("span");t.className="outcome";let e=document.
createElement("span");e.className=n.isError?"mark is-bad":"mark",e.textContent=n.isError?"failed":"ok";let s=n.particulars.find(r=>/^\+\d+ −\d+$/.test(r));return t.
append(e," ",s??vr(i)),t}function vr(n){let i=n.querySelectorAll(".lines > li"),e=(i.length>0?[...i].map(s=>s.textContent??""):Ii(n).split(`
`)).filter(s=>s.trim()!=="");return e.length>1?`${k(e.length,"line")}: ${T(e[0]??"",60)}`:T(e[0]??"no output",100)}function Ii(n){return[...n.children].filter(i=>i.
tagName!=="DETAILS").map(i=>i.textContent??"").join(`
`)}function Fi(n,i,t){for(let e of n.querySelectorAll("details"))(i.some(r=>(e.textContent??"").toLowerCase().includes(r))||t!==null&&e.dataset.resultAt===String(
t))&&(e.open=!0)}function qi(n){let i=Y(n.body),t=[];for(let e of i.children)t.push(e.textContent??"");return t.join(`

`).trim()||n.summary}function Hi(n){return[...Y(n.body).querySelectorAll("pre")].filter(i=>!i.closest(".call, .thinking")).map(i=>i.textContent??"")}function br(n,i,t){let e=[];for(let s=i.indexOf(t);s>=0;s=i.indexOf(t,s+t.length)){let r=document.createRange();r.setStart(n,s),r.setEnd(n,s+t.length),e.push(r)}
return e}function Di(n,i){if(!("highlights"in CSS))return;if(i.length===0){CSS.highlights.delete("find");return}let t=[],e=document.createTreeWalker(n,NodeFilter.
SHOW_TEXT);for(let s=e.nextNode();s&&t.length<500;s=e.nextNode()){let r=(s.nodeValue??"").toLowerCase();if(r.length===s.nodeValue?.length)for(let o of i)t.push(
...br(s,r,o))}CSS.highlights.set("find",new Highlight(...t))}var ct=[{tab:"",name:"Conversation",key:"1"},{tab:"lanes",name:"Lanes",key:"2"},{tab:"tree",name:"Graph",key:"3"},{tab:"family",name:"Family",key:"4"},{tab:"con\
text",name:"Context",key:"5"},{tab:"request",name:"Requests",key:"6"}];function ue(n){let i=n.replace(/^#/,"");if(i!==""&&!i.startsWith("/"))return{view:"sessio\
n",key:"",tab:"",parameters:new URLSearchParams,entry:Ni(i)};let[t="",e=""]=i.split(/\?(.*)/s),[s,r,o]=t.split("/").filter(Boolean).map(Ni),a=new URLSearchParams(
e),l=ct.find(c=>c.tab===o)?.tab??"";return s==="session"&&r?{view:s,key:r,tab:l,parameters:a,entry:""}:s==="spend"||s==="stats"?{view:s,key:"",tab:"",parameters:a,
entry:""}:{view:"sessions",key:"",tab:"",parameters:a,entry:""}}function Ni(n){try{return decodeURIComponent(n)}catch{return n}}function Bi(n,i){let t=new URLSearchParams;
for(let[s,r]of Object.entries(i))r!=null&&r!==""&&t.set(s,String(r));let e=t.toString();return e?`#/${n}?${e}`:`#/${n}`}function _(n,i={}){return Bi(n==="sessio\
ns"?"":n,i)}function R(n,i="",t={}){return Bi(`session/${encodeURIComponent(n)}${i?`/${i}`:""}`,t)}function Vt(n,i){let t=Object.fromEntries(n.parameters);return n.
view==="session"?R(n.key,n.tab,{...t,...i}):_(n.view,{...t,...i})}function q(n,i=!1){n===location.hash||n==="#/"&&location.hash===""||(i?history.replaceState(null,
"",n):history.pushState(null,"",n),window.dispatchEvent(new Event("route")))}function de(n){return n!==null&&/^\d+$/.test(n)?Number(n):null}function He({parameters:n}){
return n.has("id")?null:de(n.get("e"))}function $s({parameters:n,entry:i}){let t=n.get("id")||n.get("e")||i;return He({parameters:n})===null?t:""}var $r=4;function wr(n,i,t){n.dispatchEvent(new CustomEvent("row-action",{detail:{action:i,at:t},bubbles:!0}))}function pe(n,i,t,e){return h`<button class="quiet" tabindex="-1" title=${t} aria-label=${t} @click=${r=>{
r.stopPropagation(),wr(r.currentTarget,n,i)}}>${e}</button>`}function Sr(n,i,t){let e=i.kind==="assistant"&&n.source.tabs.has("request");return h`<span class="row-tools">
    ${pe("copy",i.at,"Copy the message (y)","Copy")}
    ${pe("link",i.at,"Copy a link to this entry","Link")}
    ${n.source.canEdit?pe("label",i.at,"Set a label","Label"):p}
    ${e?pe("request",i.at,"Show the request for this reply","Request"):p}
    ${pe("fold",i.at,t.isFolded?"Unfold (o)":"Fold (o)",t.isFolded?"Unfold":"Fold")}
  </span>`}function kr(n,i,t){return h`<header>
    <span class="who">${i.who||i.kind}</span>
    ${i.what?h`<code class="what">${T(i.what,80)}</code>`:p}
    ${i.label===null?p:h`<span class="chip is-label" title="Label">${i.label}</span>`}
    ${i.isError?h`<span class="chip is-error">error</span>`:p}
    <span class="particulars">${i.particulars.map(e=>h`<span>${e}</span>`)}</span>
    ${t.isNested?p:Sr(n,i,t)}
    <a class="time" tabindex="-1" href=${R(n.key,"",{leaf:n.leaf,e:i.at})} title=${Pt(i.time)}>${ni(i.time)||`#${i.at}`}</a>
  </header>`}function xr(n,i){let t=n.facts?.family??[];if(t.length===0||n.depth>=$r)return[];let e=new Set([i.at,...i.calls.map(({resultAt:s})=>s).filter(s=>s!==
null&&n.isMerged(s))]);return t.filter(s=>s.subagentOf===n.key&&typeof s.at=="number"&&e.has(s.at))}function De(n,i,t){let e=["row",`is-${i.kind}`,t.isCursor?"i\
s-cursor":"",t.isFolded?"is-folded":"",i.isError?"is-failed":"",t.isHit?"is-hit":"",t.isAgain?"is-again":""],s=`${i.who||i.kind}${i.label===null?"":`, label ${i.
label}`}: ${T(i.summary,100)}`;return h`<article
    class=${e.filter(Boolean).join(" ")} data-index=${t.place} data-at=${i.at} tabindex=${t.isCursor?0:-1}
    aria-label=${s} aria-posinset=${t.place+1} aria-setsize=${n.path.length}
  >
    ${kr(n,i,t)}
    ${t.isFolded?h`<p class="folded">${i.summary}</p>`:Pi(i,n)}
    ${xr(n,i).map(r=>h`<pt-subagent .source=${n.source} .member=${r} .depth=${n.depth+1}></pt-subagent>`)}
  </article>`}function zi(n,i){return h`<article class="row is-empty" data-index=${n} data-at=${i} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`}
function Ui(n,i){return h`<div class="is-merged" data-index=${n} data-at=${i}></div>`}var J=class{constructor(i,t){this.measured=new WeakSet;this.list=null;this.stop=null;this.wanted=null;this.host=i,this.options=t,i.addController(this)}settings(){
let{count:i,scroller:t,estimate:e,overscan:s=8,paddingStart:r=0,paddingEnd:o=0,keyOf:a,range:l}=this.options();return{count:i,getScrollElement:()=>this.host.querySelector(
t),estimateSize:e,overscan:s,paddingStart:r,paddingEnd:o,observeElementRect:xi,observeElementOffset:Ei,scrollToFn:Ti,measureElement:vs,onChange:()=>this.host.requestUpdate(),
...a?{getItemKey:a}:{},...l?{rangeExtractor:l}:{}}}hostConnected(){this.host.requestUpdate()}hostDisconnected(){this.stop?.(),this.stop=null,this.list=null}hostUpdate(){
this.list&&this.list.setOptions({...this.list.options,...this.settings()})}hostUpdated(){if(this.list||(this.list=new qe(this.settings()),this.stop=this.list._didMount(),
this.host.requestUpdate()),this.list._willUpdate(),this.wanted&&this.list.range){let{place:i,align:t}=this.wanted;this.wanted=null,this.scrollTo(i,t)}if(this.options().
measures)for(let i of this.host.querySelectorAll(`${this.options().scroller} > * > .slot`))this.measured.has(i)||(this.measured.add(i),this.list.measureElement(
i))}get items(){return this.list?.getVirtualItems()??[]}get total(){return this.list?.getTotalSize()??0}get range(){return this.list?.range??null}scrollTo(i,t="\
auto"){this.list||(this.wanted={place:i,align:t}),this.hostUpdate(),i===0&&t!=="center"?this.list?.scrollToOffset(0):this.list?.scrollToIndex(i,{align:t})}};var Er=76,Tr=60,Ne=3e3,tt=class extends E{constructor(){super(...arguments);this.cursor=-1;this.words=[];this.hits=new Set;this.version=0;this.isPrinting=!1;this.
printedFrom=0;this.openedForPaper=[];this.flipped=new Set;this.foldsAll=!1;this.virtual=new J(this,()=>({count:this.model.path.length,scroller:".scroller",estimate:()=>Er,
measures:!0,overscan:6,paddingStart:8,paddingEnd:48,keyOf:t=>this.model.path[t]??t,range:t=>this.range(t)}));this.staysAtEnd=!1;this.seen={first:-1,last:-1};this.
pending=null;this.leaveEnd=()=>{this.staysAtEnd=!1}}get scroller(){return this.querySelector(".scroller")}range(t){let e=ys(t),s=this.cursor>=0?this.model.place(
this.cursor):-1;return s<0||e.includes(s)||!this.contains(document.activeElement)?e:s<(e[0]??0)?[s,...e]:[...e,s]}updated(t){t.has("isPrinting")&&this.openForPaper(),
t.has("words")&&this.words.length>0&&!this.pending&&this.revealAt(this.cursor),this.carryOut(),this.keepEnd(),this.tellSeen(),Di(this,this.words)}tellSeen(){let t=this.
virtual.range;!t||this.model.path.length===0||(this.model.want(t.startIndex-10,t.endIndex+10),!(t.startIndex===this.seen.first&&t.endIndex===this.seen.last)&&(this.
seen={first:t.startIndex,last:t.endIndex},this.dispatchEvent(new CustomEvent("seen",{detail:this.seen}))))}get isAtEnd(){let t=this.scroller;return t!==null&&t.
scrollHeight-t.scrollTop-t.clientHeight<Tr}scrollToEnd(){this.staysAtEnd=!0,this.requestUpdate()}keepEnd(){let t=this.scroller;this.staysAtEnd&&t&&(t.scrollTop=
t.scrollHeight)}show(t,e={}){let s=this.model.callerOf(t),r=this.model.nearest(s??t);if(r<0)return;let o=e.align??"center";this.leaveEnd(),this.virtual.scrollTo(
r,o),this.pending={at:t,focus:e.focus??!1,align:o},this.requestUpdate()}scrollToPlace(t){this.leaveEnd(),this.virtual.scrollTo(Math.max(0,Math.min(this.model.path.
length-1,t)),"start")}scrollByPage(t){let e=this.scroller;this.leaveEnd(),e?.scrollBy({top:t*(e.clientHeight-60)})}carryOut(){if(!this.pending)return;let{at:t,focus:e,
align:s}=this.pending,r=this.model.row(t),o=this.model.callerOf(t),a=this.rowElement(o??t);!r||!a||a.classList.contains("is-empty")||(this.pending=null,this.revealAt(
t),this.virtual.scrollTo(this.model.place(o??t),o===null?s:"start"),e&&a.focus({preventScroll:!0}))}revealAt(t){let e=this.model.callerOf(t),s=this.rowElement(e??
t);s&&(e!==null||this.words.length>0)&&Fi(s,this.words,e===null?null:t)}rowElement(t){return this.querySelector(`.rows > .slot > [data-at="${t}"]`)}isFolded(t){
let e=this.model.row(t)?.isFolded??!1;return(this.foldsAll||e)!==this.flipped.has(t)&&!(this.isPrinting&&e&&!this.foldsAll)}fold(t){this.flipped.delete(t)||this.
flipped.add(t),this.requestUpdate()}foldAll(t){this.foldsAll=t,this.flipped.clear(),this.requestUpdate()}get isAllFolded(){return this.foldsAll}step(t,e){let s=this.
model.nearest(t)+e;for(;s>=0&&s<this.model.path.length;){let r=this.model.path[s];if(!this.model.isMerged(r))return r;s+=e}return null}firstSeen(){let t=this.scroller?.
getBoundingClientRect().top??0;for(let e of this.querySelectorAll(".rows > .slot > article"))if(e.getBoundingClientRect().top>=t-4)return Number(e.dataset.at);return this.
model.path[0]??0}isAgain(t){let e=t-1;for(;e>=0&&this.model.isMerged(this.model.path[e]);)e-=1;let s=r=>r===void 0?void 0:this.model.row(r)?.kind;return s(this.
model.path[t])==="assistant"&&s(this.model.path[e])==="assistant"}openForPaper(){if(this.isPrinting)this.openedForPaper.push(...this.querySelectorAll("details:n\
ot([open], .subagent)"));else for(let t of this.openedForPaper.splice(0))t.open=!1;for(let t of this.openedForPaper)t.open=!0}item(t){let e=this.model.path[t],s=this.
model.row(e);return s?this.model.isMerged(e)?Ui(t,e):De(this.model,s,{place:t,isCursor:e===this.cursor,isFolded:this.isFolded(e),isHit:this.hits.has(e),isAgain:this.
isAgain(t)}):zi(t,e)}render(){if(this.isPrinting)return this.printed();let t=this.virtual.items,e=this.model.path.length===0,s=r=>({transform:`translateY(${r}px\
)`});return h`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.cursor<0?0:-1}
      @wheel=${this.leaveEnd} @touchstart=${this.leaveEnd} @pointerdown=${this.leaveEnd} @keydown=${this.leaveEnd}>
      ${e?h`<p class="empty">${this.model.filter==="all"?"This session has no entries.":"No entry of this branch passes the filter."}</p>`:p}
      <div class="rows" style=${P({height:`${this.virtual.total}px`})}>
        ${Wt(t,r=>r.key,r=>h`<div class="slot" data-index=${r.index} style=${P(s(r.start))}>${this.item(r.index)}</div>`)}
      </div>
    </div>`}printed(){let{path:t}=this.model,e=[...t.subarray(this.printedFrom,this.printedFrom+Ne)].map((o,a)=>this.printedFrom+a),s=e.filter(o=>!this.model.row(
t[o])).length,r=e.length<t.length;return h`<div class="rows is-printed">
      ${r?h`<p class="notice">Entries ${v(this.printedFrom+1)} to ${v(this.printedFrom+e.length)} of ${v(t.length)} on this branch. The others are not printed here: put the cursor on a message and choose “Print from this message on”.</p>`:
p}
      ${s>0?h`<p class="notice">${k(s,"entry was","entries were")} not loaded and ${s===1?"is":"are"} missing. Print with the page’s own button, or Ctrl+P, to have them all.</p>`:
p}
      ${e.map(o=>this.model.row(t[o])?this.item(o):p)}</div>`}};u([b({attribute:!1})],tt.prototype,"model",2),u([b({attribute:!1})],tt.prototype,"cursor",2),u([
b({attribute:!1})],tt.prototype,"words",2),u([b({attribute:!1})],tt.prototype,"hits",2),u([b({attribute:!1})],tt.prototype,"version",2),u([g()],tt.prototype,"is\
Printing",2),tt=u([x("pt-conversation")],tt);var ji=.05,Mr=6,Ar=.7,Gt=class extends E{constructor(){super(...arguments);this.offsetX=0;this.offsetY=0;this.scale=1;this.pointers=new Map;this.moved=0;this.fittedTo=
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
0,0,1,1)}fit(t=!1){let{width:e,height:s}=this.size,r=this.frame,o=Math.min(r.width/e,r.height/s)*.96;this.scale=Math.max(t?ji:Ar,Math.min(1.25,o)),this.offsetX=
Math.max(16,(r.width-e*this.scale)/2),this.offsetY=Math.max(16,(r.height-s*this.scale)/2),this.place()}place(){this.querySelector("svg.canvas > g")?.setAttribute(
"transform",`translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`)}zoom(t,e=this.frame.width/2,s=this.frame.height/2){let r=Math.max(ji,Math.min(Mr,
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
        <g>${H`${this.drawing()}`}</g>
      </svg>
      <details class="in-words"><summary>${this.name} in words</summary>${this.inWords()}</details>
    </div>`}};var me=230,fe=44,ws=60,_r=16;function Wi(n){return`${n.subagentOf?"at":"after"} ${vt(n.at??0)}`}var Ft=class extends Gt{constructor(){super(...arguments);this.version=
0;this.whole=null;this.loadedAs="";this.laidOut=null}willUpdate(t){let e=`${this.model.key} ${this.model.facts?.entries}`;!this.model.facts||e===this.loadedAs||
(this.loadedAs=e,w(this.model.source.family(this.model.key).then(s=>{e===this.loadedAs&&(this.whole=s)})))}get members(){return this.whole??this.model.facts?.family??
[]}get placed(){let t=this.members;return this.laidOut?.members!==t&&(this.laidOut={members:t,placed:this.layOut(t)}),this.laidOut.placed}layOut(t){let e=new Map;
for(let c of t)c.parentKey!==null&&(e.get(c.parentKey)??e.set(c.parentKey,[]).get(c.parentKey))?.push(c);let s=new Set(t.map(c=>c.key)),r=t.filter(c=>c.parentKey===
null||!s.has(c.parentKey)),o=new Map,a=0,l=(c,d)=>{if(o.has(c.key))return;o.set(c.key,{member:c,depth:d,x:16+d*(me+ws),y:16+a*(fe+_r)}),(e.get(c.key)??[]).forEach(
(y,f)=>{f>0&&(a+=1),l(y,d+1)})};for(let c of[...r,...t])o.has(c.key)||(l(c,0),a+=1);return o}get name(){return`Family of ${this.members.length} ${this.members.length===
1?"session":"sessions"}`}get size(){let t=[...this.placed.values()];return{width:Math.max(0,...t.map(({x:e})=>e+me+16)),height:Math.max(0,...t.map(({y:e})=>e+fe+
16))}}link(t){return R(t.key)}start(t){return t.parentKey===null||t.at===null||t.at===void 0?null:R(t.parentKey,"",{e:t.at})}kind(t){return t.subagentOf?"sub-ag\
ent":t.parentKey?"fork":"first session"}box({member:t,x:e,y:s}){let r=this.start(t),o=`${t.isSelf?"this session, ":""}${this.kind(t)}`;return H`<g><a href=${this.
link(t)} class=${`family-box ${t.isSelf?"is-self":""} ${t.subagentOf?"is-subagent":""}`}>
      <title>${t.title}</title>
      <rect x=${e} y=${s} width=${me} height=${fe} rx="6"></rect>
      <text x=${e+12} y=${s+19}>${T(t.title,27)}</text>
      <text class="small" x=${e+12} y=${s+35}>${o}</text>
    </a>${r===null?p:H`<a href=${r} class="family-start"><title>${`Where ${t.title} began`}</title>
      <text class="small" text-anchor="end" x=${e+me-12} y=${s+35}>${Wi(t)}</text></a>`}</g>`}drawing(){let t=this.placed,e=[...t.values()].map(({member:s,x:r,y:o})=>{
let a=s.parentKey===null?void 0:t.get(s.parentKey);if(!a)return H``;let[l,c,d]=[a.x+me,a.y+fe/2,o+fe/2];return H`<path class=${s.subagentOf?"family-line is-suba\
gent":"family-line"} d=${`M${l} ${c} C${l+ws/2} ${c}, ${r-ws/2} ${d}, ${r} ${d}`}></path>`});return H`${e}${[...t.values()].map(s=>this.box(s))}`}inWords(){let t=this.
placed;return h`<ul>${[...t.values()].map(({member:e})=>{let s=this.start(e);return h`<li><a href=${this.link(e)}>${e.title}</a> ${e.isSelf?"(this session)":""} ${this.
kind(e)}${e.parentKey?` of ${t.get(e.parentKey)?.member.title??"a session that is not here"}`:""}
        ${s===null?p:h`<a href=${s}>${Wi(e)}</a>`}</li>`})}</ul>`}};u([b({attribute:!1})],Ft.prototype,"model",2),u([b({attribute:!1})],Ft.prototype,"version",2),
u([g()],Ft.prototype,"whole",2),Ft=u([x("pt-family")],Ft);var V=class extends E{constructor(){super(...arguments);this.query="";this.cursor=-1;this.text="";this.ats=[];this.total="0";this.current=-1;this.isBusy=!1;this.
hasEntry=!1;this.asked="";this.askSoon=X(160,()=>w(this.ask(this.text,!0)));this.typed=t=>{this.text=t.target.value,this.askSoon()};this.pressed=t=>{if(t.key===
"Enter")this.step(t.shiftKey?-1:1);else if(t.key==="Escape")t.target.blur(),this.dispatchEvent(new Event("close-find"));else return;t.preventDefault(),t.stopPropagation()}}focusField(){
let t=this.querySelector("input");t?.focus(),t?.select()}willUpdate(t){!t.has("query")||this.query===this.asked||(this.text=this.query,w(this.ask(this.query,!this.
hasEntry)))}async ask(t,e){this.asked=t,this.isBusy=t!=="";let s=t===""?{total:0,isAll:!0,words:[],hits:[]}:await this.model.source.find(this.model.key,t);this.
asked===t&&(this.isBusy=!1,this.ats=s.hits.map(r=>r.at).sort((r,o)=>r-o),this.total=`${v(s.total)}${s.isAll?"":"+"}`,this.current=-1,yt(t===""?"":s.isAll?k(s.total,
"match","matches"):`More than ${k(s.total,"match","matches")}`),this.dispatchEvent(new CustomEvent("found",{detail:{query:t,words:s.words.map(r=>r.toLowerCase()),
hits:new Set(this.ats)}})),e&&this.step(1,!0))}step(t,e=!1){if(this.ats.length===0)return;let s=this.current>=0?this.ats[this.current]??-1:e?this.cursor-1:this.
cursor,r=t===1?this.ats.findIndex(o=>o>s):this.ats.findLastIndex(o=>o<s);r<0&&(r=t===1?0:this.ats.length-1),this.current=r,yt(`Match ${r+1} of ${this.total}`),this.
dispatchEvent(new CustomEvent("find-at",{detail:this.ats[r]??0}))}status(){if(this.isBusy)return"\u2026";if(this.asked==="")return"";if(this.ats.length===0)return"\
no match";let t=this.current>=0?this.current:this.ats.indexOf(this.cursor);return t>=0?`${v(t+1)} of ${this.total}`:`${this.total} ${this.total==="1"?"match":"m\
atches"}`}render(){return h`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${this.typed} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${()=>this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${()=>this.step(1)}>↓</button>
      ${this.asked===""?p:h`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${()=>this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`}};u([b({attribute:!1})],V.prototype,"model",2),u([b({attribute:!1})],V.prototype,"query",2),u([b({attribute:!1})],V.prototype,"cursor",2),u([g()],V.
prototype,"text",2),u([g()],V.prototype,"ats",2),u([g()],V.prototype,"total",2),u([g()],V.prototype,"current",2),u([g()],V.prototype,"isBusy",2),u([b({attribute:!1})],
V.prototype,"hasEntry",2),V=u([x("pt-find")],V);var Be=50,Ki=4e3,Rr=3e3,Yt=class{constructor(i,t,e=0){this.facts=null;this.marks=[];this.leaf=null;this.filter="all";this.path=new Int32Array;this.failure=null;
this.changed=()=>{};this.kept=new Map;this.callers=new Map;this.loading=new Set;this.lanePaths=new Map;this.loaded=new Set;this.generation=0;this.opened=!1;this.
source=i,this.key=t,this.depth=e}async open(i,t){let e=++this.generation;this.facts??=await this.source.session(this.key);let s=await this.source.path(this.key,
i??this.facts.leaf,t);e===this.generation&&this.show(i??this.facts.leaf,t,s)}async readMarks(){this.marks.length>0||(this.marks=await this.source.marks(this.key),
this.changed())}show(i,t,e){this.opened=!0,this.leaf=i,this.filter=t,this.path=e,this.loaded=new Set,this.loading.clear(),this.changed()}async refresh(){let{facts:i,
path:t}=this,e=await this.source.session(this.key),r=this.leaf===i?.leaf?e.leaf:this.leaf,[o,a]=await Promise.all([this.source.path(this.key,r,this.filter),this.
source.marks(this.key)]);if(this.path!==t)return this.refresh();let l=o.length-t.length;return this.facts=e,this.marks=a,this.lanePaths.clear(),this.show(r,this.
filter,o),l}get isOpen(){return this.opened}get hasRows(){return this.kept.size>0||this.path.length===0||this.failure!==null}row(i){return this.kept.get(i)}isMerged(i){
return this.callerOf(i)!==null}callerOf(i){let t=this.callers.get(i);return t!==void 0&&this.place(t)>=0?t:null}want(i,t){for(let e=Math.max(0,Math.floor((i-8)/
Be));e*Be<=Math.min(t,this.path.length-1);e+=1)!this.loaded.has(e)&&!this.loading.has(e)&&this.fetchChunk(e)}async fetchChunk(i){let t=this.generation,e=this.path;
this.loading.add(i);try{this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:i*Be,count:Be})),this.failure=null}catch(s){this.failure===
null&&F(I(s)),this.failure=s}t!==this.generation||e!==this.path||(this.failure===null?this.loaded.add(i):await new Promise(s=>setTimeout(s,Rr)),this.loading.delete(
i),this.changed())}keep(i){for(let t of i){let e=Cr(this.kept.get(t.at),t);this.kept.delete(e.at),this.kept.set(e.at,e);for(let s of e.calls)s.resultAt!==null&&
this.callers.set(s.resultAt,e.at)}if(!(this.kept.size<=Ki)){for(let t of this.kept.keys()){if(this.kept.size<=Ki/2)break;this.kept.delete(t)}this.loaded.clear()}}async loadAll(i,t){
let e=Math.min(i+t,this.path.length);for(let s=i;s<e;s+=200)this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:s,count:Math.min(200,
e-s)}))}place(i){return ut(this.path,i)}nearest(i){let t=this.place(i);return t>=0||this.path.length===0?t:Math.min(this.path.length-1,Math.max(0,Gi(this.path,i)-
1))}link(i,t="",e=this.leaf){return R(this.key,t,{leaf:e===(this.facts?.leaf??null)?null:e,e:i})}get laneCount(){return this.facts?.laneCount??this.facts?.lanes.
length??0}async lanes(i){let t=[...this.facts?.lanes??[]];for(;t.length<Math.min(i,this.laneCount);){let e=await this.source.lanes(this.key,t.length,200);if(e.length===
0)break;t.push(...e)}return t.slice(0,i)}lanePath(i){let t=this.lanePaths.get(i.leaf)??this.source.path(this.key,i.leaf,"all");return this.lanePaths.set(i.leaf,
t),t}async leafFor(i){return this.place(i)>=0?this.leaf:this.source.leafOf(this.key,i)}nextMark(i,t,e){let s=this.marks.filter(o=>o.kind===i&&this.place(o.at)>=
0).map(o=>o.at);return(e===1?s.find(o=>o>t):s.findLast(o=>o<t))??null}};function Cr(n,i){return!n||JSON.stringify(n.body)!==JSON.stringify(i.body)?i:Object.assign(
n,i,{body:n.body})}function Gi(n,i){let t=0,e=n.length;for(;t<e;){let s=t+e>>1;(n[s]??0)<i?t=s+1:e=s}return t}function ut(n,i){let t=Gi(n,i);return n[t]===i?t:Pr(
n)?-1:n.indexOf(i)}var Vi=new WeakMap;function Pr(n){let i=Vi.get(n);return i===void 0&&(i=n.every((t,e)=>e===0||(n[e-1]??0)<t),Vi.set(n,i)),i}var Yi=46,Xi=24,Or=350,ze=120,ks=3e3,Qi=150,wt=class extends Gt{constructor(){super(...arguments);this.version=0;this.drawn=[];this.wanted=ze;this.stops=[];this.
xs=[];this.loadedAs=""}willUpdate(t){let{facts:e,marks:s}=this.model;t.has("model")&&(this.wanted=ze);let r=`${this.model.key} ${e?.entries} ${s.length} ${this.
wanted}`;!e||r===this.loadedAs||(this.loadedAs=r,w(this.load(this.wanted)))}async load(t){let e=await this.model.lanes(t),s=await Promise.all(e.map(a=>this.model.
lanePath(a))),r=this.shownMarks().slice(0,ks),o=new Set;this.drawn=e.map((a,l)=>{let c=s[l],d=l===0?0:Lr(c,s.slice(0,l)),m=r.filter(y=>!o.has(y.at)&&ut(c,y.at)>=
d);for(let y of m)o.add(y.at);return{lane:a,path:c,own:d,parent:d===0?-1:s.findIndex(y=>ut(y,c[d-1])>=0),y:30+l*Yi,marks:m}}),this.scaleX()}shownMarks(){let t=this.
model.marks.filter(e=>e.kind==="user").length;return this.model.marks.filter(e=>e.kind!=="branch"&&(e.kind!=="user"||t<=Qi))}left(){let t=this.model.marks.filter(
r=>r.kind==="user").length,e=this.shownMarks().length;return[t>Qi?`${k(t,"user message")} not drawn`:"",e>ks?`${k(e-ks,"further dot")} not drawn`:""].filter(Boolean).
join(", ")}scaleX(){let t=new Set([0]);for(let{path:s,own:r,marks:o}of this.drawn){t.add(r).add(Math.max(0,r-1)).add(s.length-1);for(let a of o)t.add(ut(s,a.at))}
this.stops=[...t].sort((s,r)=>s-r);let e=Xi;this.xs=this.stops.map((s,r)=>e+=r===0?0:10+9*Math.log2(s-(this.stops[r-1]??0)))}x(t){let e=0,s=this.stops.length-1;
for(;e<s;){let r=e+s>>1;(this.stops[r]??0)<t?e=r+1:s=r}return this.xs[e]??Xi}get name(){return`Tree with ${v(this.drawn.length)} branches`}get size(){return{width:this.
drawn.length===0?0:(this.xs.at(-1)??0)+Or,height:60+this.drawn.length*Yi}}link(t,e){return this.model.link(e,"",t.lane.leaf)}line(t){let{lane:e,path:s,own:r,parent:o,
y:a}=t,l=this.x(Math.max(0,r)),c=this.x(s.length-1),d=this.drawn[o],m=d?`M${this.x(r-1)} ${d.y} C${this.x(r-1)+12} ${a}, ${this.x(r-1)} ${a}, ${Math.max(l,this.
x(r-1)+14)} ${a}`:`M${l} ${a}`,y=T(zt(e),52);return H`<g class=${`branch-line ${e.isActive?"is-active":""} ${e.leaf===this.model.leaf?"is-shown":""}`}>
      <path d=${`${m} L${c} ${a}`}></path>
      <a href=${this.link(t,e.isActive?e.leaf:e.from??e.leaf)}>
        <circle class="leaf" cx=${c} cy=${a} r="6"></circle>
        <text x=${c+14} y=${a-2}>${y}</text>
        <text class="small" x=${c+14} y=${a+13}>${`${e.isActive?"current, ":""}${v(s.length-r)} entries`}</text>
      </a>
      ${t.marks.map(f=>this.dot(t,f))}${this.labels(t)}
    </g>`}dot(t,e){let s=this.x(ut(t.path,e.at)),r=`${e.kind}: ${T(e.text??vt(e.at),80)}`;return H`<a href=${this.link(t,e.at)} aria-label=${r} tabindex=${e.kind===
"user"?-1:0}><title>${r}</title>
      <circle class=${`mark is-${e.kind}`} cx=${s} cy=${t.y} r=${e.kind==="user"?3:4.5}></circle></a>`}labels(t){let e=-1/0;return t.marks.filter(({kind:s})=>s===
"label").map(s=>{let r=this.x(ut(t.path,s.at))-4,o=T(s.text??"",20);return r<e?H``:(e=r+o.length*6.2+8,H`<text class="small is-label" aria-hidden="true" x=${r} y=${t.
y-10}>${o}</text>`)})}drawing(){return H`${[...this.drawn].reverse().map(t=>this.line(t))}`}legend(){let t=["user","label","compaction","error"],e=this.model.laneCount-
this.drawn.length,s=this.left();return h`<span class="legend">${t.map(r=>h`<span class=${`key is-${r}`}>${r==="user"?"user message":r}</span>`)}</span>
      ${e>0&&this.drawn.length>0?h`<span class="more-lanes">${k(this.drawn.length,"branch","branches")} of ${v(this.model.laneCount)} <button @click=${()=>this.
wanted+=ze}>Show ${v(Math.min(ze,e))} more</button></span>`:p}
      ${s?h`<span class="muted">${s}</span>`:p}`}inWords(){return h`<ul>${this.drawn.map(t=>h`<li>
      <a href=${this.link(t,t.lane.leaf)}>${zt(t.lane)}</a>${t.lane.isActive?" (current)":` (abandoned, forked after ${vt(t.path[t.own-1]??0)})`}: ${v(t.path.length)} entries.
      ${t.marks.filter(e=>e.kind!=="user").slice(0,40).map(e=>h`<a href=${this.link(t,e.at)}>${e.kind} at ${vt(e.at)}${e.text?`: ${T(e.text,60)}`:""}</a> `)}
    </li>`)}</ul>`}};u([b({attribute:!1})],wt.prototype,"model",2),u([b({attribute:!1})],wt.prototype,"version",2),u([g()],wt.prototype,"drawn",2),u([g()],wt.prototype,
"wanted",2),wt=u([x("pt-graph")],wt);function Lr(n,i){let t=0;for(let e of i){let[s,r]=[t,Math.min(n.length,e.length)];for(;s<r;){let o=s+r>>1;n[o]===e[o]?s=o+1:
r=o}t=Math.max(t,s)}return t}var Ir=26,ge=60,Ue=40,St=class extends E{constructor(){super(...arguments);this.version=0;this.lanes=[];this.wanted=Ue;this.virtual=new J(this,()=>({count:Math.
max(0,...this.lanes.map(({path:t})=>t.length)),scroller:".lanes-scroller",estimate:()=>Ir}));this.loadedAs=""}willUpdate(t){let e=this.model.facts;t.has("model")&&
(this.wanted=Ue);let s=`${this.model.key} ${e?.entries} ${e?.leaf} ${this.wanted}`;e&&s!==this.loadedAs&&(this.loadedAs=s,w(this.load(this.wanted)))}async load(t){
let e=await this.model.lanes(t);this.lanes=await Promise.all(e.map(async s=>{let r=await this.model.lanePath(s),o=this.lanes.find(l=>l.lane.leaf===s.leaf&&l.path===
r),a=s.from===null?r.length:Math.max(0,ut(r,s.from));return o??{lane:s,path:r,own:a,rows:new Map,asked:new Set}}))}updated(){let t=this.virtual.range;if(t)for(let e of this.
lanes)for(let s=Math.floor(t.startIndex/ge);s<=Math.floor(t.endIndex/ge);s+=1)w(this.fetch(e,s))}async fetch(t,e){if(t.asked.has(e)||e*ge>=t.path.length)return;
t.asked.add(e);let s={leaf:t.lane.leaf,filter:"all",from:e*ge,count:ge,brief:!0};for(let r of await this.model.source.rows(this.model.key,s))t.rows.set(r.at,r);
this.requestUpdate()}toFork(t){this.virtual.scrollTo(Math.max(0,t.own-3),"start")}heading(t){let{lane:e,path:s,own:r}=t,o=e.leaf===this.model.leaf;return h`<section class=${e.
isActive?"lane-head is-active":"lane-head"} aria-label=${zt(e)}>
      <h2><a href=${this.model.link(e.isActive?e.leaf:e.from??e.leaf,"",e.leaf)} aria-current=${o?"true":p}>${T(zt(e),90)}</a></h2>
      <p class="muted">${e.isActive?h`<span class="chip is-current">current</span>`:h`<span class="chip">abandoned</span>`}
        ${v(s.length)} entries, ${v(s.length-r)} its own · ${bt(e.lastTime)}</p>
      ${e.summary?h`<p class="lane-summary" title=${e.summary}>${T(e.summary,180)}</p>`:p}
      ${r>0&&r<s.length?h`<button class="quiet" @click=${()=>this.toFork(t)}>Go to the fork (after ${vt(s[r-1]??0)})</button>`:p}
    </section>`}cell(t,e){let s=t.path[e];if(s===void 0)return h`<div class="lane-cell is-none"></div>`;let r=t.rows.get(s),o=e>=t.own||t.lane.isActive,a=["lane\
-cell",`is-${r?.kind??"empty"}`,o?"":"is-shared",e===t.own&&e>0?"is-fork":"",r?.isError?"is-failed":""],l=this.model.link(s,"",t.lane.leaf);return h`<a class=${a.
filter(Boolean).join(" ")} href=${l} tabindex=${o?0:-1}>
      <span class="dot" aria-hidden="true"></span>${r?.label?h`<span class="chip is-label">${r.label}</span>`:p}<span class="tree-text">${r?T(r.summary,120)||r.
who:"\u2026"}</span></a>`}render(){let t=this.virtual.items,e=t[0]?.start??0,s=this.model.laneCount-this.lanes.length;return h`${s>0&&this.lanes.length>0?h`<p class="more-lanes">${k(
this.lanes.length,"branch","branches")} of ${v(this.model.laneCount)} <button @click=${()=>this.wanted+=Ue}>Show ${v(Math.min(Ue,s))} more</button></p>`:p}
    <div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${P({"--lanes":String(Math.max(1,this.lanes.length))})}>
        <div class="lane-heads">${this.lanes.map(r=>this.heading(r))}</div>
        <div class="lane-rows" style=${P({height:`${this.virtual.total}px`})}>
          <div class="lane-window" style=${P({transform:`translateY(${e}px)`})}>
            ${t.map(r=>h`<div class="lane-row">${this.lanes.map(o=>this.cell(o,r.index))}</div>`)}
          </div>
        </div>
      </div>
    </div>`}};u([b({attribute:!1})],St.prototype,"model",2),u([b({attribute:!1})],St.prototype,"version",2),u([g()],St.prototype,"lanes",2),u([g()],St.prototype,
"wanted",2),St=u([x("pt-lanes")],St);var Fr={user:{from:.1,to:.45,color:"--user",height:2},branch:{from:.5,to:.62,color:"--branch",height:3},label:{from:.62,to:.78,color:"--label",height:3},compaction:{
from:0,to:1,color:"--compaction",height:2},error:{from:.8,to:1,color:"--error",height:3}},kt=class extends E{constructor(){super(...arguments);this.version=0;this.
seen={first:0,last:0};this.hits=new Set;this.marksDrawn=[];this.observer=new ResizeObserver(()=>this.redraw());this.scheme=matchMedia("(prefers-color-scheme: da\
rk)");this.redraw=()=>{this.marksDrawn=[],this.requestUpdate()};this.dragged=t=>{if(t.buttons!==1)return;let e=this.getBoundingClientRect(),s=this.seen.last-this.
seen.first;this.go(Math.round((t.clientY-e.top)/e.height*this.model.path.length-s/2))};this.grabbed=t=>{t.currentTarget.setPointerCapture(t.pointerId),this.dragged(
t)};this.pressed=t=>{let e=Math.max(1,Math.round(this.model.path.length/20)),r={ArrowDown:1,ArrowUp:-1,PageDown:e,PageUp:-e,Home:-1/0,End:1/0}[t.key];r!==void 0&&
(t.preventDefault(),t.stopPropagation(),this.go(Math.max(0,Math.min(this.model.path.length-1,this.seen.first+r))))}}connectedCallback(){super.connectedCallback(),
this.observer.observe(this),this.scheme.addEventListener("change",this.redraw),window.addEventListener("theme",this.redraw)}disconnectedCallback(){super.disconnectedCallback(),
this.observer.disconnect(),this.scheme.removeEventListener("change",this.redraw),window.removeEventListener("theme",this.redraw)}updated(){this.drawMarks(),this.
drawWindow()}drawMarks(){let{path:t,marks:e}=this.model,s=[t,e,this.hits,this.clientHeight,this.clientWidth],r=this.querySelector("canvas"),o=r?.getContext("2d");
if(s.every(($,S)=>$===this.marksDrawn[S])||!r||!o)return;this.marksDrawn=s;let a=window.devicePixelRatio,[l,c]=[this.clientWidth,this.clientHeight];r.width=l*a,
r.height=c*a,o.setTransform(a,0,0,a,0,0);let d=new Map,m=$=>{let S=d.get($);return S!==void 0?S:(r.style.color=`var(${$})`,d.set($,getComputedStyle(r).color),d.
get($)??"")},y=c/Math.max(1,this.model.path.length),f=($,S,O=6)=>{let C=this.model.place($);C<0||(o.fillStyle=m(S.color),o.fillRect(S.from*l,C*y,(S.to-S.from)*l,
Math.max(S.height,Math.min(y,O))))};for(let $ of this.model.marks)f($.at,Fr[$.kind]);for(let $ of this.hits)f($,{from:0,to:1,color:"--hit-strong",height:1.5},1.5)}drawWindow(){
let t=this.querySelector(".window");if(!t)return;let e=this.clientHeight/Math.max(1,this.model.path.length);t.style.top=`${this.seen.first*e}px`,t.style.height=
`${Math.max(6,(this.seen.last-this.seen.first+1)*e)}px`}go(t){this.dispatchEvent(new CustomEvent("go-place",{detail:t}))}render(){let t=this.model.path.length,e=Math.
max(0,this.seen.first)+1;return h`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1,
t)}
      aria-valuenow=${e} aria-valuetext="Entry ${v(e)} of ${v(t)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`}};u([b({attribute:!1})],kt.prototype,"model",2),u([b({attribute:!1})],kt.prototype,"v\
ersion",2),u([b({attribute:!1})],kt.prototype,"seen",2),u([b({attribute:!1})],kt.prototype,"hits",2),kt=u([x("pt-minimap")],kt);var xs=50,qr=400,et=class extends E{constructor(){super(...arguments);this.at=null;this.facts=null;this.reply=null;this.next=null;this.failure="";this.loadedAs=
""}willUpdate(t){let e=`${this.model.key} ${this.model.leaf} ${this.at}`;e===this.loadedAs||this.model.path.length===0||(this.loadedAs=e,w(this.load()))}async load(){
let t=this.at===null?this.model.path.length-1:this.model.nearest(this.at),e=await this.find(t,-1)??await this.find(t,1);if(this.reply=e,!e){this.failure="There \
is no reply on this branch.";return}this.facts=null;try{this.facts=await this.model.source.request(this.model.key,e.at),this.failure=""}catch(s){this.failure=I(
s)}this.next=(await this.find(this.model.place(e.at)+1,1))?.at??null}async find(t,e){for(let s=t;s>=0&&s<this.model.path.length;s+=e*xs){let r=e===1?s:Math.max(
0,s-xs+1),o=e===1?xs:s-r+1,a=await this.model.source.rows(this.model.key,{leaf:this.model.leaf,filter:this.model.filter,from:r,count:o,brief:!0}),l=e===1?a.find(
Zi):a.findLast(Zi);if(l)return l}return null}step(t,e){return e===null?h`<span class="button is-disabled">${t}</span>`:h`<a class="button" href=${this.model.link(
e,"request")}>${t}</a>`}cacheBreak(t){if(t.previous===null)return h`<p class="notice">This is the first request, so nothing was cached before it.</p>`;if(!t.cacheBreak)
return h`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;let{path:e,what:s,body:r,cause:o}=t.cacheBreak;
return h`<div class="notice is-bad"><p>The cached prefix broke${o?` after a ${o}`:""}: ${s} (<code>${e}</code>)</p>${Y(r)}</div>`}window({total:t,from:e,shown:s}){
if(t===void 0||e===void 0||s===void 0||s>=t)return p;let r=e+s;return this.model.source.requestsHere?h`<p class="window">${e===0?"The first":`The ${v(e)} messag\
es before these are those of the request before; the last`} ${v(s)} of ${v(t)}:</p>`:h`<p class="window">Messages ${v(e)} to ${v(r-1)} of ${v(t)}
      ${e>0?h`<button @click=${()=>this.show(Math.max(0,e-qr))}>Earlier</button> <button @click=${()=>this.show(0)}>First</button>`:p}
      ${r<t?h`<button @click=${()=>this.show(r)}>Later</button>`:p}</p>`}show(t){let e=this.facts?.at;e!==void 0&&w(this.model.source.request(this.model.key,e,t).
then(s=>{this.facts?.at===e&&(this.facts={...this.facts,body:s.body,from:s.from??0,shown:s.shown??0})}))}copy(t){let e=Y(t.body).textContent??"";w(Q(e).then(()=>F(
"Copied")))}render(){let{facts:t,reply:e}=this;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("\u2039 Previous",t?.previous??null)} ${this.step("Next \u203A",this.next)}
        ${e?h`<p><a href=${R(this.model.key,"",{e:e.at})}>Reply</a> <span class="muted">${T(e.summary,120)}</span></p>`:p}
        ${t?h`<button class="quiet" @click=${()=>this.copy(t)}>${(t.shown??0)<(t.total??0)?"Copy what is shown":"Copy the request"}</button>`:p}
      </div>
      ${this.model.source.requestsHere&&!this.failure?h`<p class="muted">${this.model.source.requestsHere}</p>`:p}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:p}
      ${t&&!this.failure?h`${this.cacheBreak(t)}
        <div class="columns is-request">
          <section class="card"><h2>Changes since the previous request</h2>${t.previous===null?h`<p class="muted">This is the first request.</p>`:!t.difference||
t.difference.length===0?h`<p class="muted">Nothing changed.</p>`:Y(t.difference)}</section>
          <section class="card"><h2>Request${t.model?h` to <code>${t.model}</code>`:p}</h2>${this.window(t)}${Y(t.body)}</section>
        </div>`:p}
    </div>`}};u([b({attribute:!1})],et.prototype,"model",2),u([b({attribute:!1})],et.prototype,"at",2),u([g()],et.prototype,"facts",2),u([g()],et.prototype,"rep\
ly",2),u([g()],et.prototype,"next",2),u([g()],et.prototype,"failure",2),et=u([x("pt-request")],et);function Zi(n){return n.kind==="assistant"}var Es=100,dt=class extends E{constructor(){super(...arguments);this.depth=1;this.model=null;this.failure="";this.toggled=t=>{t.target===t.currentTarget&&t.currentTarget.
open&&this.model===null&&this.load()}}async load(){let t=new Yt(this.source,this.member.key,this.depth);try{await t.open(null,"all"),await t.loadAll(0,Es),this.
model=t,this.failure=""}catch(e){this.failure=I(e)}}render(){let t=[...this.model?.path.subarray(0,Es)??[]].filter(s=>!this.model?.isMerged(s)),e=(this.model?.path.
length??0)-Es;return h`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:h`<p><a href=${R(this.member.key)}>Open this session</a></p>
      ${this.model?t.map((s,r)=>this.row(s,r)):h`<p class="muted">Loading…</p>`}
      ${e>0?h`<p class="muted">${k(e,"more entry","more entries")}: open the session to read them.</p>`:p}`}
    </details>`}row(t,e){let s=this.model?.row(t);return!s||!this.model||s.kind==="note"?p:De(this.model,s,{place:e,isCursor:!1,isFolded:!1,isHit:!1,isNested:!0})}};
u([b({attribute:!1})],dt.prototype,"source",2),u([b({attribute:!1})],dt.prototype,"member",2),u([b({attribute:!1})],dt.prototype,"depth",2),u([g()],dt.prototype,
"model",2),u([g()],dt.prototype,"failure",2),dt=u([x("pt-subagent")],dt);var Hr=24,ye=100,Dr=14,Nr={user:"User: ",assistant:"Assistant: "},st=class extends E{constructor(){super(...arguments);this.filter="default";this.cursor=-1;this.
version=0;this.total=0;this.active=-1;this.rows=new Map;this.pages=new Set;this.places=new Map;this.virtual=new J(this,()=>({count:this.total,scroller:".tree-sc\
roller",estimate:()=>Hr,overscan:10}));this.shownAs="";this.followed=-1;this.generation=0;this.isNew=!0;this.pressed=t=>{let s={ArrowDown:1,j:1,ArrowUp:-1,k:-1,
PageDown:20,PageUp:-20,Home:-this.total,g:-this.total,End:this.total,G:this.total}[t.key];if(t.key==="Enter"||t.key===" ")this.choose(this.active);else if(s!==void 0)
this.move(Math.max(0,Math.min(this.total-1,this.active+s)));else if(t.key==="ArrowLeft"||t.key==="ArrowRight")this.toBranch(t.key==="ArrowLeft"?-1:1);else return;
t.preventDefault(),t.stopPropagation()}}willUpdate(t){let e=this.model.facts,s=`${this.model.key} ${e?.entries} ${e?.leaf} ${this.filter}`;if(e&&this.model.hasRows&&
s!==this.shownAs){let r=!this.shownAs.startsWith(`${this.model.key} `)||!this.shownAs.endsWith(this.filter);this.shownAs=s,this.forget(r),w(this.load(0))}!this.
model.hasRows||!t.has("cursor")&&this.followed===this.cursor||(this.followed=this.cursor,w(this.follow()))}forget(t){this.generation+=1,this.pages.clear(),this.
places.clear(),t&&(this.rows=new Map),this.isNew||=t}updated(){let t=this.virtual.range;if(!(!t||this.total===0))for(let e=Math.floor(t.startIndex/ye);e<=Math.floor(
t.endIndex/ye);e+=1)w(this.load(e))}async load(t){if(this.pages.has(t))return;let e=this.generation;this.pages.add(t);let s=await this.model.source.tree(this.model.
key,{from:t*ye,count:ye,filter:this.filter});e===this.generation&&this.keep(s.from,s.rows,s.total)}keep(t,e,s){e.forEach((r,o)=>{this.rows.set(t+o,r),this.places.
set(r.at,t+o)}),this.total=s,this.requestUpdate()}async follow(){if(this.cursor<0)return;if(!this.places.has(this.cursor)){let s=this.generation,r=await this.model.
source.tree(this.model.key,{count:ye,filter:this.filter,at:this.cursor});s===this.generation&&this.keep(r.from??0,r.rows,r.total)}let t=this.places.get(this.cursor)??
this.nearest(this.cursor);if(t===void 0)return;this.active=t;let e=this.virtual.range;(this.isNew||!e||t<=e.startIndex||t>=e.endIndex)&&this.virtual.scrollTo(t,
"center"),this.isNew=!1}nearest(t){let e=-1;for(let[s]of this.places)s<t&&s>e&&(e=s);return this.places.get(e)}choose(t){let e=this.rows.get(t);e&&(this.active=
t,this.dispatchEvent(new CustomEvent("choose",{detail:e.at,bubbles:!0})))}toBranch(t){for(let e=this.active+t;this.rows.has(e);e+=t)if((this.rows.get(e)?.children??
0)>1)return this.move(e)}move(t){this.active=t,this.virtual.scrollTo(t)}line(t,e){let s=this.rows.get(t),r=t===this.active,o={transform:`translateY(${e}px)`,"--\
depth":String(Math.min(s?.depth??0,Dr))};if(!s)return h`<div class="tree-row" role="treeitem" aria-level="1" style=${P(o)}><span class="muted">…</span></div>`;
let a=["tree-row",`is-${s.role??s.kind}`,s.active?"is-active":"is-abandoned",r?"is-here":"",r?"is-focus":"",s.begins&&t>0?"begins":"",s.isError?"is-failed":""];
return h`<div
      class=${a.filter(Boolean).join(" ")} id="tree-${s.at}" role="treeitem" aria-level=${s.depth+1} aria-selected=${s.at===this.cursor?"true":"false"}
      aria-setsize=${this.total} aria-posinset=${t+1} data-at=${s.at} style=${P(o)} @click=${()=>this.choose(t)}
    ><span class="dot" aria-hidden="true"></span><span class="hidden">${Nr[s.role??""]??""}</span>${s.label===null||s.label===void 0?p:h`<span class="chip is-label">${s.
label}</span>`}<span class="tree-text">${T(s.text,120)||s.kind}</span>${s.children>1?h`<span class="branches" title="Branches here">${s.children}</span>`:p}${s.
isLeaf?h`<span class="chip">current</span>`:p}</div>`}render(){let t=this.virtual.items,e=this.rows.get(this.active);return h`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${e?
`tree-${e.at}`:p} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${P({height:`${this.virtual.total}px`})}>
        ${Wt(t,s=>s.key,s=>this.line(s.index,s.start))}
      </div>
    </div>`}};u([b({attribute:!1})],st.prototype,"model",2),u([b({attribute:!1})],st.prototype,"filter",2),u([b({attribute:!1})],st.prototype,"cursor",2),u([b({
attribute:!1})],st.prototype,"version",2),u([g()],st.prototype,"total",2),u([g()],st.prototype,"active",2),st=u([x("pt-tree")],st);var Ts=[{keys:["j","ArrowDown"],shown:"j \u2193",does:"next message",action:"down"},{keys:["k","ArrowUp"],shown:"k \u2191",does:"previous message",action:"up"},
{keys:[" ","PageDown"],shown:"Space PgDn",does:"a page down",action:"pageDown"},{keys:["PageUp"],shown:"PgUp",does:"a page up",action:"pageUp"},{keys:["g","Home"],
shown:"g Home",does:"to the beginning",action:"first"},{keys:["G","End"],shown:"G End",does:"to the end",action:"last"},{keys:["]"],shown:"]",does:"next message\
 of the user",action:"nextUser"},{keys:["["],shown:"[",does:"previous message of the user",action:"previousUser"},{keys:["}"],shown:"}",does:"next error",action:"\
nextError"},{keys:["{"],shown:"{",does:"previous error",action:"previousError"},{keys:["/"],shown:"/",does:"find in this session",action:"find"},{keys:["n"],shown:"\
n",does:"next match",action:"findNext"},{keys:["N"],shown:"N",does:"previous match",action:"findPrevious"},{keys:["o","Enter"],shown:"o Enter",does:"fold or unf\
old the message",action:"fold"},{keys:["O"],shown:"O",does:"fold or unfold all messages",action:"foldAll"},{keys:["y"],shown:"y",does:"copy the message",action:"\
copy"},{keys:["Y"],shown:"Y",does:"copy its code block",action:"copyCode"},{keys:["L"],shown:"L",does:"copy a link to the message",action:"link"},{keys:["l"],shown:"\
l",does:"set a label (with --allow-edit)",action:"label"},{keys:["r"],shown:"r",does:"the request for this reply",action:"request"},{keys:["t"],shown:"t",does:"\
to the tree, and back",action:"tree"},{keys:["q"],shown:"q",does:"back to the sessions",action:"leave"}],Ji=[{title:"Conversation",rows:Ts.map(({shown:n,does:i})=>[
n,i])},{title:"Everywhere",rows:[["Ctrl+K \u2318K","sessions, views and commands"],["1 \u2026 6","views of a session"],["?","this help"],["Esc","close, or leave\
 a field"]]},{title:"Sessions",rows:[["/","search"],["j \u2193","next session"],["k \u2191","previous session"],["Enter","open it"]]},{title:"Tree",rows:[["j \u2193 \
k \u2191","move"],["\u2190 \u2192","to the previous or next branch point"],["Enter","show the entry"],["t","back to the conversation"]]},{title:"Lanes, graphs a\
nd charts",rows:[["Tab","to the next part"],["\u2190 \u2192 \u2191 \u2193","move, or pan"],["+ \u2212","zoom a graph"],["0","show all of a graph"],["Enter","ope\
n what is selected"]]}];function qt(n){let i=n.target;return i!==null&&(i.isContentEditable||/^(?:INPUT|TEXTAREA|SELECT)$/.test(i.tagName))}function tn(n){let i=n.
target;return i!==null&&i.closest("button, a[href], summary, [role=slider], [role=tree]")!==null}var Xt=class{constructor(i){this.ends=new WeakMap;this.timer=0;this.host=i,i.addController(this)}hostDisconnected(){clearTimeout(this.timer)}watch(i){let t=Date.
now();for(let s of i)s.isLive&&!this.ends.has(s)&&this.ends.set(s,t+(s.liveMs??0));clearTimeout(this.timer);let e=i.map(s=>this.ends.get(s)??0).filter(s=>s>t);e.
length!==0&&(this.timer=window.setTimeout(()=>{this.host.requestUpdate(),this.watch(i)},Math.min(...e)-t))}has(i){return(this.ends.get(i)??0)>Date.now()}},je="S\
omething was written a moment ago";function We(n){try{return localStorage.getItem(`pitree-${n}`)}catch{return null}}function Ke(n,i){try{localStorage.setItem(`pitree-${n}`,i)}catch{}}var Ve=["all","no-tools","user","labeled"];var Br={default:"",all:"Everything","no-tools":"Without tools",user:"User only",labeled:"Labeled only"};function en(n,i,t){let e={leaf:n.route.parameters.get("l\
eaf"),e:n.cursor>=0?n.cursor:null};return h`<div class="session-head">
    <div class="title-line">
      ${n.source.hasList?h`<a class="back" href=${_("sessions")} aria-label="All sessions">‹</a>`:p}
      <h1 title=${t.title}>${t.title}</h1>
      ${n.live.has(t)?h`<span class="live" title=${je}>live</span>`:p}
      <p class="facts">${jr(t).map(([s,r])=>h`<span title=${r}>${s}</span>`)}${Vr(t,n.source.hasList)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${ct.filter(({tab:s})=>n.source.tabs.has(s)).map(({tab:s,name:r})=>h`<a href=${R(i.key,s,e)} aria-current=${s===n.route.tab?"page":p}>${r}${Ur(s,t)}</a>`)}
    </nav>
    ${zr(t)}
  </div>`}function zr({problems:n=[],path:i}){let[t,...e]=n;if(!t)return p;let s=({line:r,text:o,advice:a})=>h`${r>0?`line ${v(r)}: `:""}${o}; ${a}`;return h`<div class="notice is-bad damage" role="note"><p><b>This session file is damaged</b>: ${s(
t)}.</p>
    ${e.length===0?p:h`<details><summary>${k(e.length,"more problem","more problems")}</summary><ul>${e.map(r=>h`<li>${s(r)}</li>`)}</ul></details>`}
    <p>Show everything: <code>pitree check ${i===""?"FILE":Ms(i)}</code></p></div>`}function Ur(n,i){let t=n==="lanes"?i.laneCount??i.lanes.length:n==="family"?
i.family.length:0;return t>1?h` <span class="badge">${t}</span>`:p}function jr(n){return[[K(n.cwd),n.cwd],[bt(n.modified),Pt(n.modified)],[k(n.entries,"entry","\
entries"),""],[`${L(n.tokens??0)} tokens`,v(n.tokens??0)],[Ct(n.cost??null),"Recorded cost"]]}function Ms(n){let[i,t]=n.startsWith("~/")?["~/",n.slice(2)]:["",n];
return/^[\w@%+=:,./-]+$/.test(t)?n:`${i}'${t.replaceAll("'","'\\''")}'`}function Wr({cwd:n,id:i}){return`cd ${Ms(n)} && pi --session ${Ms(i)}`}function Kr(n){let i=Wr(
n);return h`<dt>Resume</dt><dd><code>${i}</code> <button class="quiet" @click=${()=>w(Q(i).then(()=>F("Command copied")))}>Copy</button></dd>`}function Vr(n,i){
return h`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${n.path}</code></dd><dt>Id</dt><dd><code>${n.id}</code></dd><dt>Created</dt><dd>${Pt(n.created)}</dd>
    ${i&&n.id!==""&&n.cwd!==""?Kr(n):p}
    ${n.facts.map(([t,e])=>h`<dt>${t}</dt><dd>${e}</dd>`)}
  </dl></details>`}function sn(n,i){return h`${Xr(n,i)}
    <div class=${n.showsTree?"panes has-tree":"panes"}>
      ${n.showsTree?h`<pt-tree .model=${i} .filter=${i.filter==="all"?"default":i.filter} .cursor=${n.cursor} .version=${n.version}
        @choose=${t=>{n.goTo(t.detail,{push:!0})}}></pt-tree>`:p}
      <pt-conversation .model=${i} .cursor=${n.cursor} .words=${n.findWords} .hits=${n.hits} .version=${n.version}
        @row-action=${n.rowAction} @click=${t=>Yr(n,t)} @seen=${t=>Gr(n,t.detail)}></pt-conversation>
      <pt-minimap .model=${i} .version=${n.version} .seen=${n.seen} .hits=${n.hits}
        @go-place=${t=>n.conversation?.scrollToPlace(t.detail)}></pt-minimap>
      ${n.newRows>0?h`<button class="new-rows" @click=${()=>n.toNewest()}>${k(n.newRows,"new entry","new entries")} ↓</button>`:p}
    </div>`}function Gr(n,i){n.seen=i,i.last>=(n.model?.path.length??0)-1&&(n.newRows=0)}function Yr(n,i){let t=i.target,e=t.closest(".slot > article");!e||t.closest(
"a, button")||!getSelection()?.isCollapsed||(n.cursor=Number(e.dataset.at),n.noteCursor(n.cursor))}function Xr(n,i){let t=i.facts?.lanes.find(e=>e.leaf===i.leaf);
return h`<div class="toolbar">
    <button class="quiet" aria-pressed=${n.showsTree?"true":"false"} title="Tree (t)" @click=${()=>n.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${e=>n.setFilter(e.target.value)}>
        ${Ve.map(e=>h`<option value=${e} ?selected=${e===i.filter}>${Br[e]}</option>`)}
      </select></label>
    <span class="spacer">${t&&!t.isActive?h`<span class="chip">abandoned branch</span> <a href=${R(i.key)}>Show the current one</a>`:p}</span>
    <pt-find .model=${i} .query=${n.findText} .hasEntry=${n.route.parameters.has("e")||n.route.parameters.has("id")} .cursor=${n.cursor}
      @found=${e=>n.setFound(e.detail.query,e.detail.words,e.detail.hits)}
      @find-at=${e=>{n.goTo(e.detail)}} @close-find=${()=>Qr(n)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${()=>n.conversation?.foldAll(!n.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${()=>n.print()}>Print</button>
  </div>`}function Qr(n){n.setFound("",[],new Set),n.conversation?.show(n.cursor,{focus:!0,align:"auto"})}async function As(n,i,t=0){let e=Math.min(i.path.length,t+Ne);F(e-t<i.path.length?`Preparing entries ${v(t+1)} to ${v(e)} of ${v(i.path.length)}\u2026`:"Prepari\
ng the pages\u2026"),await i.loadAll(t,Ne),await Zr(n,t),window.print(),await _s(n)}async function _s(n){n.isPrinting&&(n.isPrinting=!1,await n.updateComplete,n.
show(n.cursor,{align:"center"}))}async function Zr(n,i){n.printedFrom=i,n.isPrinting=!0,await n.updateComplete}var D=class extends E{constructor(){super(...arguments);this.model=null;this.version=0;this.cursor=-1;this.seen={first:0,last:0};this.hits=new Set;this.findText=
"";this.findWords=[];this.newRows=0;this.showsTree=We("tree")!=="no"&&innerWidth>760;this.failure="";this.live=new Xt(this);this.openedAs="";this.openedId="";this.
isStale=!1;this.isRefreshing=!1;this.noteCursor=X(300,t=>{this.isConnected&&this.route.tab===""&&this.cursor===t&&q(Vt(this.here,{id:null,e:t}),!0)});this.printing=
()=>{!this.conversation||this.conversation.isPrinting||(this.conversation.printedFrom=0,this.conversation.isPrinting=!0)};this.printed=()=>{this.conversation&&w(
_s(this.conversation))};this.rowAction=t=>this.act(t.detail.action,t.detail.at);this.actions={down:()=>this.moveTo(this.conversation?.step(this.cursor,1)??null),
up:()=>this.moveTo(this.conversation?.step(this.cursor,-1)??null),pageDown:()=>this.page(1),pageUp:()=>this.page(-1),first:()=>this.moveTo(this.model?.path[0]??
null,"start"),last:()=>this.moveTo(this.lastShown(),"center"),nextUser:()=>this.toMark("user",1),previousUser:()=>this.toMark("user",-1),nextError:()=>this.toMark(
"error",1),previousError:()=>this.toMark("error",-1),find:()=>this.finder?.focusField(),findNext:()=>this.finder?.step(1),findPrevious:()=>this.finder?.step(-1),
fold:()=>this.conversation?.fold(this.cursor),foldAll:()=>this.conversation?.foldAll(!this.conversation.isAllFolded),copy:()=>this.act("copy",this.cursor),copyCode:()=>this.
act("copyCode",this.cursor),link:()=>this.act("link",this.cursor),label:()=>this.act("label",this.cursor),request:()=>this.act("request",this.cursor),tree:()=>this.
toTree(),leave:()=>q(this.route.tab===""?_("sessions"):R(this.route.key))};this.pressed=t=>{if(t.defaultPrevented||qt(t)||document.querySelector("dialog[open]"))
return;if((t.ctrlKey||t.metaKey)&&t.key==="p"&&this.route.tab==="")return t.preventDefault(),this.print();if(t.ctrlKey||t.metaKey||t.altKey)return;let e=ct.find(
o=>o.key===t.key);if(e&&this.source.tabs.has(e.tab))return q(R(this.route.key,e.tab,{leaf:this.route.parameters.get("leaf"),e:this.cursor>=0?this.cursor:null}));
let s=Ts.find(({keys:o})=>o.includes(t.key)),r=(t.key==="Enter"||t.key===" ")&&tn(t);!s||r||this.route.tab!==""&&s.action!=="leave"||(t.preventDefault(),this.actions[s.
action]())}}connectedCallback(){super.connectedCallback(),window.addEventListener("keydown",this.pressed),window.addEventListener("beforeprint",this.printing),window.
addEventListener("afterprint",this.printed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed),window.removeEventListener(
"beforeprint",this.printing),window.removeEventListener("afterprint",this.printed)}willUpdate(t){(t.has("route")||t.has("source"))&&this.followRoute()}followRoute(){
let{key:t,parameters:e}=this.route;this.model?.key!==t&&(this.model=new Yt(this.source,t),this.model.changed=()=>this.loaded(),this.cursor=-1,this.openedAs="",this.
hits=new Set);let s=de(e.get("leaf")),r=Ve.find(c=>c===e.get("filter"))??"all",o=He(this.route),a=$s(this.route),l=`${s} ${r}`;this.findText=e.get("find")??"",l!==
this.openedAs?(this.openedAs=l,w(this.open(this.model,s,r))):a!==""&&a!==this.openedId&&this.model.isOpen?w(this.reachId(a)):o!==null&&o!==this.cursor&&this.model.
isOpen&&this.reach(o)}reach(t){this.route.tab===""&&(this.model?.place(t)??0)<0?w(this.goTo(t)):this.show(t)}async reachId(t){let e=await this.entryOf(t);e!==null&&
t===this.openedId&&this.reach(e)}loaded(){this.cursor=this.model?.callerOf(this.cursor)??this.cursor,this.model?.facts&&this.live.watch([this.model.facts]),this.
version+=1}async open(t,e,s){try{await t.open(e,s),this.failure="",document.title=`${T(t.facts?.title??"Session",80)} \xB7 pitree`,await this.updateComplete;let r=He(
this.route)??await this.entryOf($s(this.route));this.route.tab===""?this.begin(r):r!==null&&(this.cursor=r),await t.readMarks()}catch(r){this.failure=I(r)}}async entryOf(t){
if(this.openedId=t,t==="")return null;let e=await this.source.resolve(this.route.key,t);return e>=0?e:de(/^e(\d+)$/.exec(this.route.entry)?.[1]??null)}begin(t){
t!==null?this.reach(t):this.cursor<0?this.cursor=this.model?.path[0]??-1:this.show(this.cursor)}get here(){return{...this.route,parameters:ue(location.hash).parameters}}async goTo(t,{
push:e=!1,focus:s=!1}={}){let r=this.model;if(!r)return;let o=await r.leafFor(t),a=o!==r.leaf&&o!==null,l=R(r.key,"",{...Object.fromEntries(this.here.parameters),
leaf:a?o:this.here.parameters.get("leaf"),id:null,e:t});e||a?(a&&F("On another branch: switched to it."),q(l,!e)):(this.show(t,s),q(l,!0))}show(t,e=!1){this.cursor=
this.model?.callerOf(t)??t,this.version+=1,this.updateComplete.then(()=>this.conversation?.show(t,{focus:e}))}moveTo(t,e="auto"){t!==null&&(this.cursor=t,this.updateComplete.
then(()=>this.conversation?.show(t,{focus:!0,align:e})),this.noteCursor(t))}async liveChange(t){if(!(!t.all&&!t.changed.includes(this.route.key))){if(this.failure)
return this.openedAs="",this.followRoute();if(this.isStale=!0,!this.isRefreshing){this.isRefreshing=!0;try{for(;this.isStale;)this.isStale=!1,await this.refresh()}finally{
this.isRefreshing=!1}}}}async refresh(){let t=this.model;if(!t?.facts)return;let e=this.conversation?.isAtEnd??!1,s=await t.refresh();s<=0||t!==this.model||(yt(
k(s,"new entry","new entries")),e?this.updateComplete.then(()=>this.conversation?.scrollToEnd()):this.newRows+=s)}toNewest(){this.newRows=0,this.moveTo(this.model?.
path.at(-1)??null,"start"),this.updateComplete.then(()=>this.conversation?.scrollToEnd())}setFilter(t){q(Vt(this.here,{filter:t==="all"?null:t,id:null,e:this.cursor>=
0?this.cursor:null}))}setFound(t,e,s){this.findText=t,this.findWords=e,this.hits=s,q(Vt(this.here,{find:t||null}),!0)}toggleTree(){this.showsTree=!this.showsTree,
Ke("tree",this.showsTree?"yes":"no")}rename(){let t=prompt("Name of the session (empty removes it)",this.model?.facts?.name??"");t!==null&&w(this.source.rename(
this.route.key,t.trim()))}savePosition(){w(this.source.goTo(this.route.key,this.cursor).then(()=>F("Position saved")))}print(){this.conversation&&this.model&&w(
As(this.conversation,this.model))}printFromHere(){this.conversation&&this.model&&w(As(this.conversation,this.model,Math.max(0,this.model.nearest(this.cursor))))}get canEdit(){
return this.source.canEdit&&this.model?.facts?.canEdit===!0}act(t,e){let s=this.model,r=s?.row(e);if(!(!s||!r))switch(t){case"fold":return this.conversation?.fold(
e);case"copy":return w(Q(qi(r)).then(()=>F("Message copied")));case"copyCode":return this.copyCode(Hi(r));case"link":return w(Q(new URL(R(s.key,"",{leaf:this.route.
parameters.get("leaf"),e}),location.href).href).then(()=>F("Link copied")));case"request":return q(R(s.key,"request",{leaf:this.route.parameters.get("leaf"),e}));case"\
label":return this.askLabel(e,r.label)}}copyCode(t){if(t.length===0)return F("No code block in this message");w(Q(t.join(`

`)).then(()=>F(t.length===1?"Code block copied":k(t.length,"code block copied","code blocks copied"))))}askLabel(t,e){let s=this.source.canEdit?prompt("Label (e\
mpty removes it)",e??""):null;s!==null&&w(this.source.label(this.route.key,t,s.trim()))}lastShown(){let t=this.model?.path.at(-1);return t===void 0?null:this.model?.
callerOf(t)??t}page(t){this.conversation?.scrollByPage(t),requestAnimationFrame(()=>requestAnimationFrame(()=>this.cursor=this.conversation?.firstSeen()??this.cursor))}toMark(t,e){
let s=this.model?.nextMark(t,this.cursor,e)??null;if(s===null)return yt(t==="user"?"No further message":"No further error");this.show(s,!0),this.noteCursor(this.
cursor)}toTree(){this.showsTree||this.toggleTree(),this.updateComplete.then(()=>{let t=this.querySelector(".tree-scroller");document.activeElement===t?this.conversation?.
show(this.cursor,{focus:!0,align:"auto"}):t?.focus()})}render(){let t=this.model;return this.failure?h`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.
failure}</p><p><a href=${_("sessions")}>All sessions</a></p></main>`:t?.facts?h`${en(this,t,t.facts)}<main class="session-main" tabindex="-1">${this.tab(t)}</main>`:
h`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`}tab(t){let e=de(this.route.parameters.get("e"));switch(this.route.tab){case"l\
anes":return h`<pt-lanes .model=${t} .version=${this.version}></pt-lanes>`;case"tree":return h`<pt-graph .model=${t} .version=${this.version}></pt-graph>`;case"\
family":return h`<pt-family .model=${t} .version=${this.version}></pt-family>`;case"context":return h`<pt-context .model=${t} .at=${e}></pt-context>`;case"reque\
st":return h`<pt-request .model=${t} .at=${e}></pt-request>`;default:return sn(this,t)}}};u([b({attribute:!1})],D.prototype,"source",2),u([b({attribute:!1})],D.
prototype,"route",2),u([g()],D.prototype,"model",2),u([g()],D.prototype,"version",2),u([g()],D.prototype,"cursor",2),u([g()],D.prototype,"seen",2),u([g()],D.prototype,
"hits",2),u([g()],D.prototype,"findText",2),u([g()],D.prototype,"findWords",2),u([g()],D.prototype,"newRows",2),u([g()],D.prototype,"showsTree",2),u([g()],D.prototype,
"failure",2),u([gt("pt-conversation")],D.prototype,"conversation",2),u([gt("pt-find")],D.prototype,"finder",2),D=u([x("pt-session")],D);function Rs({text:n,marks:i}){let t=[],e=0;for(let[s,r]of[...i].sort((o,a)=>o[0]-a[0]))s<e||r<=s||r>n.length||(t.push(n.slice(e,s),h`<mark>${n.slice(s,r)}</mark>`),
e=r);return t.push(n.slice(e)),h`${t}`}function ve(n,i){let t=n.toLowerCase(),e=[];if(t.length===n.length)for(let s of i)for(let r=t.indexOf(s);s&&r>=0;r=t.indexOf(
s,r+s.length))e.push([r,r+s.length]);return Rs({text:n,marks:e})}function Ge({hit:n}){return n?n.id||`line-${n.line}`:null}function nn(n,i){let t=new Map(n.map(l=>[l.key,l])),e=new Map;for(let l of n)l.parentKey!==null&&t.has(l.parentKey)&&l.parentKey!==l.key&&e.set(l.parentKey,[...e.
get(l.parentKey)??[],l]);let s=new Set,r=[],o=(l,c,d,m)=>{if(s.has(l.key))return 0;s.add(l.key);let y={row:l,depth:d,below:0,rails:c};m&&r.push(y);let f=e.get(l.
key)??[];return f.forEach(($,S)=>{let O=S<f.length-1?[...c,d+1]:c;y.below+=1+o($,O,d+1,m&&!i.has(l.key))}),y.below},a=l=>{let c=l;for(let d=0;d<n.length&&c.parentKey!==
null;d+=1)c=t.get(c.parentKey)??{...c,parentKey:null};return t.get(c.key)??l};for(let l of n)o(a(l),[],0,!0);return r}function rn(n){return n.map(i=>({row:i,depth:0,
below:0,rails:[]}))}var Cs=100,Jr=5e3,on=6,an=[["recent","Recent"],["cost","Cost"],["messages","Messages"],["tokens","Tokens"]],to=["relevance","Relevance"],j=class extends E{constructor(){
super(...arguments);this.version=0;this.rows=[];this.total=-1;this.isGuess=!1;this.words=[];this.failure="";this.active="";this.projects=[];this.folded=new Set;
this.asked="";this.focusedKey=null;this.live=new Xt(this);this.virtual=new J(this,()=>({count:this.list.length,scroller:".list-scroller",estimate:t=>this.list[t]?.
row.hit?78:54,measures:!0,keyOf:t=>this.list[t]?.row.key??t}));this.listed=null;this.readProjects=X(400,()=>w(this.source.projects().then(t=>this.projects=t)));
this.refresh=X(400,()=>w(this.load(!0)));this.typed=X(120,t=>this.set({q:t||null},!0));this.pressed=t=>{let e=!t.ctrlKey&&!t.metaKey&&!t.altKey&&!document.querySelector(
"dialog[open]");if(t.defaultPrevented||!e)return;let s=this.querySelector(".search input"),r=t.target===s,o={ArrowDown:1,ArrowUp:-1,...r?{}:{j:1,k:-1}}[t.key];if(!(qt(
t)&&!r)){if(t.key==="/"&&!r)s?.focus();else if(t.key==="Escape"&&r)s?.blur();else if(t.key==="Enter"&&r)this.open(this.list.find(({row:a})=>a.key===this.active)?.
row??this.list[0]?.row);else if(o!==void 0)this.move(o,r);else return;t.preventDefault()}}}connectedCallback(){super.connectedCallback(),window.addEventListener(
"keydown",this.pressed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed)}value(t){return this.route.parameters.
get(t)??""}get list(){let t=this.value("q")!==""||this.value("flat")==="1";return(this.listed?.rows!==this.rows||this.listed.folded!==this.folded||this.listed.isFlat!==
t)&&(this.listed={rows:this.rows,folded:this.folded,isFlat:t,list:t?rn(this.rows):nn(this.rows,this.folded)}),this.listed.list}willUpdate(t){document.activeElement!==
document.body&&(this.focusedKey=this.querySelector(".session:focus-within")?.dataset.key??null);let e=t.has("source")||t.has("route")&&this.route.parameters.toString()!==
this.asked;(t.has("source")||t.has("version"))&&this.readProjects(),e?w(this.load(!1)):t.has("version")&&this.refresh()}updated(){this.focusedKey===null||document.
activeElement!==document.body||this.querySelector(`[data-key="${CSS.escape(this.focusedKey)}"] a.title`)?.focus({preventScroll:!0})}async load(t){let e=this.route.
parameters.toString();this.asked=e;try{let s=[];for(let r=0;r<Jr;r+=Cs){let o=await this.page(r);if(e!==this.asked)return;s=[...s,...o.rows];let a=o.rows.length<
Cs||s.length>=o.total;if((!t||a)&&this.take(o,s,r),a)break}this.failure=""}catch(s){this.failure=I(s)}}page(t){return this.source.sessions({q:this.value("q"),project:this.
value("project"),sort:this.value("sort"),in:this.value("in"),since:this.value("since"),until:this.value("until"),offset:t,limit:Cs})}take(t,e,s){this.rows=e,this.
live.watch(e),this.isGuess=t.isGuess,this.words=t.words.map(r=>r.toLowerCase()),!(s>0&&this.total===t.total)&&(this.total=t.total,yt(k(this.total,"session")))}get group(){
let[t="",...e]=this.value("in").split(":"),s=e.join(":"),r=t==="family"?this.rows.find(({key:a})=>a===s)?.title:void 0,o=[this.value("since")&&`since ${this.value(
"since")}`,this.value("until")&&`until ${this.value("until")}`].filter(Boolean).join(" ");return[t,r===void 0?s||"not recorded":T(r,40),o].filter(Boolean).join(
" ")}set(t,e=!1){q(Vt(this.route,t),e)}move(t,e){let s=this.list,r=Math.max(0,Math.min(s.length-1,s.findIndex(({row:a})=>a.key===this.active)+t)),o=s[r]?.row.key;
o!==void 0&&(this.active=o,this.virtual.scrollTo(r),!e&&this.updateComplete.then(()=>requestAnimationFrame(()=>this.querySelector(`[data-key="${o}"] a.title`)?.
focus({preventScroll:!0}))))}open(t){t&&q(this.link(t))}link(t){let e=this.value("q");if(!t.hit||e==="")return R(t.key);let{snippet:s}=t.hit,r=s?.marks[0],o=r?s.
text.slice(r[0],r[1]):null;return R(t.key,"",{id:Ge(t),find:o})}askDelete(t){window.dispatchEvent(new CustomEvent("ask-delete",{detail:t}))}fold(t){let e=new Set(
this.folded);e.delete(t)||e.add(t),this.folded=e}row({row:t,depth:e,below:s,rails:r}){let o=this.words,a=this.folded.has(t.key),l=this.live.has(t);return h`<div class=${`\
session ${t.key===this.active?"is-active":""} ${l?"is-live":""}`} data-key=${t.key} style=${P({"--depth":String(Math.min(e,on))})}>
      ${e>0?h`<span class="thread" aria-hidden="true"></span>`:p}${r.filter(c=>c<=on).map(c=>h`<span class="thread-on" aria-hidden="true" style=${P({"--rail":String(
c)})}></span>`)}
      <div class="session-text">
        <p class="session-title">${l?h`<span class="live" title=${je}>live</span>`:p}${t.isSubagent?h`<span class="chip">sub-agent</span>`:p}<a class="title" href=${this.
link(t)}>${ve(T(t.title,140),o)}</a>
          ${t.name!==null&&t.firstMessage&&!t.hit?h`<span class="first-message">${T(t.firstMessage,120)}</span>`:p}
          ${s>0?h`<button class="quiet fold" aria-expanded=${a?"false":"true"} @click=${()=>this.fold(t.key)}>${a?"+":"\u2212"} ${k(s,"more","more")}</button>`:
p}</p>
        ${t.hit?.snippet&&t.hit.snippet.text.trim()!==t.title.trim()?h`<p class="hit">${Rs(t.hit.snippet)}</p>`:p}
        <p class="session-facts"><span title=${t.cwd}>${ve(K(t.cwd),o)}</span>${t.model?h`<span>${t.model}</span>`:p}${this.why(t)}</p>
      </div>
      ${ti(t.activity)}
      <span class="number" title=${`${v(t.messages)} messages`}>${L(t.messages)}<small> msg</small></span>
      <span class="number" title=${`${v(t.tokens)} tokens`}>${Ct(t.cost)}</span>
      <time class="number" title=${Pt(t.modified)}>${bt(t.modified)}</time>
      ${this.source.canEdit?h`<button class="quiet row-delete" title="Delete" aria-label=${`Delete ${T(t.title,60)}`} @click=${()=>this.askDelete(t.key)}>✕</button>`:
p}
    </div>`}why(t){let e=t.why??[];return e.length===0?p:h`<span class="why">matches ${e.map(({term:s,in:r,whole:o},a)=>h`${a>0?", ":""}<b>${s}</b> in the ${r}${o?
"":" (part of a word)"}`)}</span>`}filters(){let t=this.value("project"),e=t===""||this.projects.some(({cwd:l})=>l===t)?this.projects:[...this.projects,{cwd:t,sessions:0}],
s=this.value("q")?[to,...an]:an,r=s[0]?.[0]??"",o=s.find(([l])=>l===this.value("sort"))?.[0]??r,a=l=>c=>this.set({[l]:c.target.value||null});return h`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${a("project")}><option value="">All projects</option>${e.map(({cwd:l,sessions:c})=>h`<option value=${l} title=${l} ?selected=${l===
t}>${K(l)} (${v(c)})</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${a("sort")}>${s.map(([l,c])=>h`<option value=${l===r?"":l} ?selected=${l===o}>${c}</option>`)}</select></label>
      ${this.value("q")?p:h`<button class="quiet" aria-pressed=${this.value("flat")==="1"?"false":"true"} @click=${()=>this.set({flat:this.value("flat")==="1"?null:
"1"})}>Threads</button>`}
      ${this.value("in")?h`<span class="chip" title=${this.group}>${this.group} <button class="quiet" aria-label="Show all sessions" @click=${()=>this.set({in:null,
since:null,until:null})}>✕</button></span>`:p}
      <span class="list-count">${this.total<0?"":k(this.total,"session")}</span>
    </div>`}notice(){return this.failure?h`<p class="notice is-bad">${this.failure}</p>`:this.isGuess&&this.rows.length>0?h`<p class="notice">Nothing matched exactly. These come close.</p>`:
this.total===0?h`<p class="empty">${this.value("q")?"Nothing matched.":"There are no sessions yet."}</p>`:p}render(){let t=this.list;return h`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.
value("q")} @input=${e=>this.typed(e.target.value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${P({height:`${this.virtual.total}\
px`})}>
        ${Wt(this.virtual.items,e=>e.key,e=>h`<div class="slot" role="listitem" aria-setsize=${t.length} aria-posinset=${e.index+1} data-index=${e.index} style=${P(
{transform:`translateY(${e.start}px)`})}>${t[e.index]?this.row(t[e.index]):p}</div>`)}
      </div></div></main>`}};u([b({attribute:!1})],j.prototype,"source",2),u([b({attribute:!1})],j.prototype,"route",2),u([b({attribute:!1})],j.prototype,"versi\
on",2),u([g()],j.prototype,"rows",2),u([g()],j.prototype,"total",2),u([g()],j.prototype,"isGuess",2),u([g()],j.prototype,"words",2),u([g()],j.prototype,"failure",
2),u([g()],j.prototype,"active",2),u([g()],j.prototype,"projects",2),u([g()],j.prototype,"folded",2),j=u([x("pt-sessions")],j);var ln=[{by:"day",name:"Day"},{by:"week",name:"Week"},{by:"model",name:"Model"},{by:"project",name:"Project"},{by:"role",name:"Role"},{by:"family",name:"Family"}],
Ye=60,eo=120,so=["today","yesterday","7d","30d","this week","last week","this month","last month","this year"],hn=864e5,it=class extends E{constructor(){super(...arguments);
this.version=0;this.facts=null;this.failure="";this.shown=Ye;this.asked=""}get by(){return ln.find(({by:t})=>t===this.route.parameters.get("by"))?.by??"day"}get isByTokens(){
return this.route.parameters.get("unit")==="tokens"}get kept(){return{unit:this.isByTokens?"tokens":null,since:this.time("since"),until:this.time("until")}}time(t){
return this.route.parameters.get(t)||null}willUpdate(t){(t.has("route")||t.has("version"))&&this.load()}async load(){let t=[this.by,this.time("since"),this.time(
"until")].join(`
`);t!==this.asked&&(this.shown=Ye),this.asked=t;try{let e=await this.source.spend({by:this.by,since:this.time("since")??"",until:this.time("until")??""});if(t!==
this.asked)return;this.facts=e,this.failure=""}catch(e){t===this.asked&&(this.failure=I(e))}}bar(t){let e=t.key??"not recorded",s=this.isByTokens?t.tokens.total:
t.cost??0,r=this.isByTokens?`${L(s)} tokens`:Ct(t.cost),o={project:K(e),family:t.title??(t.path?K(t.path,1):e)},a=t.sessionCount>0?_("sessions",{in:`${this.by}:${t.
group}`,since:this.time("since"),until:this.time("until")}):null;return{name:o[this.by]??e,title:e,value:s,shown:r,note:t.sessionCount>0?k(t.sessionCount,"sessi\
on"):k(t.count,"request"),link:a}}more(t){let e=t-this.shown;return e>0?h`<p class="more-bars"><button @click=${()=>this.shown+=Ye}>Show ${v(Math.min(Ye,e))} more</button> <span class="muted">of ${v(
t)}</span></p>`:p}chart(t){let e=t.rows.map(l=>this.bar(l));if(this.by!=="day"&&this.by!=="week")return h`${ae(e.slice(0,this.shown),!0)}${this.more(e.length)}`;
let s=io(e,this.by==="day"?1:7),r=s.slice(-eo),o=(l,c)=>l.title.slice(0,7)!==r[c-1]?.title.slice(0,7)?ro(l.title):"",a=r.length<s.length;return h`${a?h`<p class="muted">Showing the last ${v(
r.length)} ${this.by}s. Set Since/Until for others; the list has all ${v(s.length)}.</p>`:p}${Oe(r,`Spend by ${this.by}`,o,l=>this.isByTokens?L(l):no(l))}<details class="in-words" open><summary>As a list</summary>${ae(
e.slice(-this.shown).reverse(),!0)}${this.more(e.length)}</details>`}set(t,e){let s=e.target.value.trim();q(_("spend",{by:this.by,...this.kept,[t]:s||null}))}times(){
let t=(s,r)=>h`<label>${r} <input type="text" list="times" size="11" placeholder=${s==="since"?"the start":"now"} autocomplete="off" spellcheck="false"
      .value=${this.time(s)??""} @change=${o=>this.set(s,o)}></label>`,e=this.time("since")!==null||this.time("until")!==null;return h`<div class="times" role="group" aria-label="Time">${t(
"since","Since")} ${t("until","Until")}
      ${e?h`<a href=${_("spend",{by:this.by,unit:this.kept.unit})}>All time</a>`:p}
      <datalist id="times">${so.map(s=>h`<option value=${s}></option>`)}</datalist></div>`}card(){let{facts:t}=this;return this.failure?h`<p class="notice is-bad">${this.
failure}</p>`:!t||t.by!==this.by?h`<p class="muted">Adding up…</p>`:t.rows.length>0?this.chart(t):h`<p class="muted">${this.time("since")||this.time("until")?
"Nothing was spent in that time.":"Nothing was spent yet."}</p>`}render(){let t=this.facts,{kept:e}=this;return h`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${t&&!this.failure?h`<div class="figures">
        <div><b>${Ct(t.total.cost)}</b><span>recorded</span></div><div><b>${L(t.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${v(t.total.count)}</b><span>requests</span></div>
        ${t.total.unknownCosts>0?h`<div><b>${v(t.total.unknownCosts)}</b><span>without a recorded cost</span></div>`:p}
      </div>`:p}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${ln.map(({by:s,name:r})=>h`<a href=${_("spend",{by:s,...e})} aria-current=${s===this.by?"true":p}>${r}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${_("spend",{by:this.by,...e,unit:null})} aria-current=${this.isByTokens?p:"true"}>Dollars</a><a href=${_(
"spend",{by:this.by,...e,unit:"tokens"})} aria-current=${this.isByTokens?"true":p}>Tokens</a></nav>
        ${this.times()}
      </div>
      <section class="card">${this.card()}</section>
    </main>`}};u([b({attribute:!1})],it.prototype,"source",2),u([b({attribute:!1})],it.prototype,"route",2),u([b({attribute:!1})],it.prototype,"version",2),u([g()],
it.prototype,"facts",2),u([g()],it.prototype,"failure",2),u([g()],it.prototype,"shown",2),it=u([x("pt-spend")],it);function io(n,i){let t=[];for(let e of n){let s=Date.
parse(e.title),r=t.at(-1),o=r?Date.parse(r.title):NaN;for(let a=o+i*hn;a<s&&t.length<1e4;a+=i*hn){let l=new Date(a).toISOString().slice(0,10);t.push({name:l,title:l,
value:0,shown:"nothing",link:null})}t.push(e)}return t}function no(n){return`$${n.toLocaleString("en-US",{maximumFractionDigits:4})}`}function ro(n){let i=new Date(
`${n}T12:00:00`);return Number.isNaN(i.getTime())?"":i.toLocaleString("en-US",{month:"short"})}var oo=15,cn=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],ao=[["branchedSessions","Sessions with branches","on:abandoned"],["branchP\
oints","Branch points","on:abandoned"],["forkedSessions","Sessions that were forked",null],["forks","Forks",null],["compactions","Compactions","role:summary"],[
"branchSummaries","Branch summaries","role:summary"],["labels","Labels","role:label"],["subagentRuns","Sub-agent runs","tool:subagent"]];function lo(n,i){return i.
includes('"')?null:/^[^\s:]+$/.test(i)?`${n}:${i}`:`${n}:"${i}"`}function un(n){return n.includes('"')?null:`"${n}"`}var Ht=class extends E{constructor(){super(
...arguments);this.version=0;this.facts=null}willUpdate(t){(t.has("source")||t.has("version"))&&w(this.source.stats().then(e=>this.facts=e))}card(t,e){return h`<section class="card"><h2>${t}</h2>${e.
length===0?h`<p class="muted">None.</p>`:ae(e.slice(0,oo))}</section>`}hours(t){let e=t.hours.map((s,r)=>({name:`${r}`,title:`${r}:00`,value:s,shown:k(s,"messag\
e"),link:null}));return h`<section class="card"><h2>Hours of the day</h2>${Oe(e,"Messages by hour",(s,r)=>r%6===0?s.title:"",L)}</section>`}render(){let t=this.
facts;if(!t)return h`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;let{totals:e}=t,s=a=>a>0?k(a,"error"):"",r=a=>a===
null?null:_("sessions",{q:a}),o=[[e.sessions,"sessions",_("sessions")],[e.messages.total,"messages",_("sessions",{sort:"messages"})],[e.projects,"projects",_("s\
pend",{by:"project"})],[e.activeDays,"active days",_("spend",{by:"day"})],[e.replies,"replies",r("role:assistant")],[e.failedReplies,"failed replies",r("role:as\
sistant is:error")]];return h`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${o.map(([a,l,c])=>c===null||a===0?h`<div title=${v(a)}><b>${L(a)}</b><span>${l}</span></div>`:h`<a href=${c} title=${v(a)}><b>${L(a)}</b><span>${l}</span></a>`)}</div>
      <div class="masonry">
        ${this.card("Tools",t.tools.map(({name:a,calls:l,errors:c})=>({name:a,title:a,value:l,shown:v(l),note:s(c),link:r(lo("tool",a))})))}
        ${this.card("Models",t.models.map(({model:a,replies:l})=>({name:a??"not recorded",title:a??"",value:l,shown:v(l),link:a===null?null:_("sessions",{in:`mo\
del:${a}`})})))}
        ${this.card("Commands",t.commands.map(({command:a,runs:l,errors:c})=>({name:a,title:a,value:l,shown:v(l),note:s(c),link:r(un(a))})))}
        ${this.card("Files",t.files.map(({path:a,project:l,reads:c,edits:d,writes:m})=>({name:K(a),title:`${a}${l?` (${l})`:""}`,value:c+d+m,shown:v(c+d+m),note:[
d>0?k(d,"edit"):"",l?K(l,1):""].filter(Boolean).join(" \xB7 "),link:r(un(a.split("/").at(-1)??a))})))}
        ${this.hours(t)}
        ${this.card("Days of the week",t.weekdays.map((a,l)=>({name:cn[l]??"",title:cn[l]??"",value:a,shown:v(a),link:null})))}
        ${this.card("Habits",ao.map(([a,l,c])=>({name:l,title:l,value:t.habits[a]??0,shown:v(t.habits[a]??0),link:t.habits[a]?r(c):null})))}
      </div></main>`}};u([b({attribute:!1})],Ht.prototype,"source",2),u([b({attribute:!1})],Ht.prototype,"version",2),u([g()],Ht.prototype,"facts",2),Ht=u([x("p\
t-stats")],Ht);var nt=class extends E{constructor(){super(...arguments);this.commands=()=>[];this.text="";this.sessions=[];this.words=[];this.active=0;this.focusedBefore=null;
this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()};this.look=X(90,t=>w(this.search(t)));this.pressed=t=>{let e=this.choices,s={ArrowDown:1,
ArrowUp:-1}[t.key];if(t.key==="Enter")this.choose(e[this.active]);else if(s!==void 0)this.active=(this.active+s+e.length)%Math.max(1,e.length);else return;t.preventDefault(),
t.stopPropagation(),this.updateComplete.then(()=>this.querySelector(`#choice-${this.active}`)?.scrollIntoView({block:"nearest"}))}}open(){let t=this.querySelector(
"dialog");!t||t.open||(this.focusedBefore=document.activeElement,this.text="",this.active=0,t.showModal(),this.querySelector("input")?.focus(),w(this.search("")))}close(){
this.querySelector("dialog")?.close()}async search(t){if(!this.source.hasList)return;let e=await this.source.sessions({q:t,limit:8});t===this.text&&(this.words=
e.words.map(s=>s.toLowerCase()),this.sessions=e.rows.map(s=>({name:T(s.title,90),note:`${K(s.cwd,1)} \xB7 ${bt(s.modified)}`,kind:"Session",run:()=>q(R(s.key,"",
{id:t?Ge(s):null}))})))}get letters(){return this.text.toLowerCase().split(/\s+/).filter(Boolean)}get choices(){let t=this.source.hasList?[["Sessions",_("sessio\
ns")],["Spend",_("spend")],["Stats",_("stats")]].map(([a="",l=""])=>({name:a,note:"",kind:"View",run:()=>q(l)})):[],e=this.route.parameters.get("leaf"),s=this.route.
view!=="session"?[]:ct.filter(({tab:a})=>this.source.tabs.has(a)).map(({tab:a,name:l,key:c})=>({name:l,note:c,kind:"View",run:()=>q(R(this.route.key,a,{leaf:e}))})),
r=this.commands().map(a=>({...a,kind:"Command"})),o=({name:a})=>this.letters.every(l=>a.toLowerCase().includes(l));return[...this.sessions,...[...s,...t,...r].filter(
o)]}choose(t){t&&(this.focusedBefore=null,this.close(),t.run())}typed(t){this.text=t,this.active=0,this.look(t)}render(){let t=this.choices,{letters:e}=this;return h`<dialog class="palette" aria-label="Go to" @close=${this.
closed} @click=${s=>s.target===s.currentTarget&&this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${t.length>0?`choice-${this.
active}`:p}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.
text}
        @input=${s=>this.typed(s.target.value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${t.map((s,r)=>h`<div id=${`choice-${r}`} role="option" class=${r===this.active?"choice is-active":"\
choice"} aria-selected=${r===this.active?"true":"false"}
        @click=${()=>this.choose(s)} @pointermove=${()=>this.active=r}><span class="choice-kind">${s.kind}</span><span class="choice-name">${ve(s.name,s.kind===
"Session"?this.words:e)}</span><span class="muted">${s.note}</span></div>`)}
      </div>${t.length===0?h`<p class="empty">Nothing matched.</p>`:p}</dialog>`}};u([b({attribute:!1})],nt.prototype,"source",2),u([b({attribute:!1})],nt.prototype,
"route",2),u([b({attribute:!1})],nt.prototype,"commands",2),u([g()],nt.prototype,"text",2),u([g()],nt.prototype,"sessions",2),u([g()],nt.prototype,"active",2),nt=
u([x("pt-palette")],nt);var Xe=class extends E{constructor(){super(...arguments);this.focusedBefore=null;this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}toggle(){
let t=this.querySelector("dialog");if(t){if(t.open)return t.close();this.focusedBefore=document.activeElement,t.showModal()}}render(){let t=()=>this.querySelector(
"dialog")?.close();return h`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${e=>e.target===e.currentTarget&&t()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${t}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${Ji.map(({title:e,rows:s})=>h`<section><h3>${e}</h3><dl>${s.map(([r,o])=>h`<dt>${r.
split(" ").map(a=>a==="\u2026"?a:h`<kbd>${a}</kbd>`)}</dt><dd>${o}</dd>`)}</dl></section>`)}</div>
    </dialog>`}};Xe=u([x("pt-help")],Xe);var dn=12,pt=class extends E{constructor(){super(...arguments);this.asked=null;this.family=!1;this.failure="";this.isWorking=!1;this.key="";this.focusedBefore=null;
this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}async ask(t){let e=this.querySelector("dialog");if(!e||e.open)return;this.focusedBefore=
document.activeElement;let s=await this.source.deletion(t);Object.assign(this,{key:t,asked:s,family:!1,failure:s.refused??"",isWorking:!1}),await this.updateComplete,
e.showModal(),this.querySelector("[data-cancel]")?.focus()}isTaking(t){return this.isWorking&&this.key===t}close(){this.querySelector("dialog")?.close()}async carryOut(){
if(!this.isWorking){this.isWorking=!0;try{let t=await this.source.remove(this.key,this.family);this.close(),F(ho(t)),this.dispatchEvent(new CustomEvent("deleted",
{detail:this.key}))}catch(t){this.failure=I(t)}finally{this.isWorking=!1}}}forks(t){if(t.forkCount===0&&t.records===0)return p;let e=t.forkCount-Math.min(t.forks.
length,dn),s=t.forkCount===1?"fork":k(t.forkCount,"fork"),r=t.records===1?"record of a sub-agent":k(t.records,"record of a sub-agent","records of sub-agents"),o=[
t.forkCount>0?s:"",t.records>0?r:""].filter(Boolean).join(" and ");return h`<label class="check"><input type="checkbox" .checked=${this.family} @change=${a=>this.
family=a.target.checked}> Delete its ${o} too</label>
      ${t.forkCount>0?h`<ul class="forks">${t.forks.slice(0,dn).map(({title:a})=>h`<li>${T(a,90)}</li>`)}${e>0?h`<li>and ${k(e,"more fork")}</li>`:p}</ul>
        <p class="muted">${this.family?"":t.forkCount===1?"Leave this unchecked to keep the fork.":"Leave this unchecked to keep the forks."}</p>`:p}`}render(){
let{asked:t}=this;return h`<dialog class="question" aria-labelledby="delete-title" @close=${this.closed}>
      <h2 id="delete-title">Delete this session?</h2>
      ${t?h`<p class="question-what">${T(t.title,160)}</p>
        <p>It will be moved to the trash.</p>
        ${this.forks(t)}`:p}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:p}
      <div class="question-buttons"><button data-cancel @click=${()=>this.close()}>Cancel</button>
        <button class="is-dangerous" ?disabled=${this.isWorking||!!t?.refused} @click=${()=>{this.carryOut()}}>Delete</button></div>
    </dialog>`}};u([b({attribute:!1})],pt.prototype,"source",2),u([g()],pt.prototype,"asked",2),u([g()],pt.prototype,"family",2),u([g()],pt.prototype,"failure",
2),u([g()],pt.prototype,"isWorking",2),pt=u([x("pt-delete")],pt);function ho({sessions:n,canRestore:i}){let t=n===1?"Session moved to the trash":`${k(n,"session")}\
 moved to the trash`;return i?`${t}; \`pitree restore\` brings ${n===1?"it":"them"} back`:t}function co(n){let i=document.getElementById(n);if(!i)throw new z("A part of this file is missing.","It may have been cut off while it was copied; export it aga\
in.");let t=atob((i.textContent??"").trim()),e=new Uint8Array(t.length);for(let s=0;s<t.length;s+=1)e[s]=t.charCodeAt(s);return e}async function be(n){let i=new Blob(
[co(n)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));try{return await new Response(i).json()}catch{throw new z("A part of this file is damaged.",
"Export it again.")}}var Qe=class{constructor(i,t){this.held=new Map;this.name=i,this.limit=t}get(i){let t=this.held.get(i)??be(this.name(i));this.held.delete(i),
this.held.set(i,t);for(let e of this.held.keys()){if(this.held.size<=this.limit)break;this.held.delete(e)}return t}};var uo=/^(?:role|tool|model|cwd|on|before|after|is):(?:"[^"]*"|\S+)$/,po=/[a-z]+:"[^"]+"(?=\s|$)|"([^"]+)"(?=\s|$)|\S+/g;function pn(n){let[i=""]=n.toLowerCase().
split(/(?:^|(?<=\s))re:/,1);return[...i.matchAll(po)].map(([e,s])=>s??(uo.test(e)?"":e.replace(/(?<=.)\*$/,""))).map(e=>e.trim()).filter(Boolean)}var Os="pitree-index",mo="pitree-requests",fo="pitree-contexts",go=24,yo=5e3,mn=1,fn=2,gn=4,vo=8,bo=16,Ps=class{constructor(i){this.lastPath=null;this.drawn=null;
this.depths=new Map;this.branches=new Map;this.children=new Map;this.requests=null;this.contexts=null;this.index=i,this.labels=new Map(i.light.labels),this.lines=
new Map(i.light.lines),this.blocks=new Qe(t=>`pitree-rows-${t}`,go),i.light.parents.forEach((t,e)=>{let s=this.children.get(t);s?s.push(e):this.children.set(t,[
e])})}passes(i,t){let e=this.index.light.flags[i]??0;switch(t){case"all":return!0;case"user":return(e&bo)!==0;case"labeled":return this.labels.has(i);case"no-to\
ols":return(e&(gn|vo))===0;case"default":return(e&gn)===0}}path(i,t){let e=[];for(let s=i??this.index.session.leaf;s!=null;s=this.index.light.parents[s]??null)e.
push(s);return Int32Array.from(e.reverse().filter(s=>this.passes(s,t)))}leafOf(i){if(i>=this.index.light.ids.length)return null;if(((this.index.light.flags[i]??
0)&mn)!==0)return this.index.session.leaf;let t=i;for(let e=this.children.get(t);e;e=this.children.get(t))t=e.at(-1)??t;return t}async row(i,t){let{light:e,blockRows:s,
kinds:r}=this.index,o=e.flags[i]??0,a={at:i,parent:e.parents[i]??null,id:e.ids[i]??"",kind:r[e.kinds[i]??0]??"",label:this.labels.get(i)??null,isError:(o&fn)!==
0,summary:e.summaries[i]??""};if(t)return Ut(a);let c=(await this.blocks.get(Math.floor(i/s)))[i%s];if(!c)throw new z("An entry of this file is missing.","Expor\
t it again.");return Ut({...c,...a})}order(){if(this.drawn??=Int32Array.from(this.index.order??this.inFileOrder()),this.depths.size>0)return this.drawn;for(let i of this.
drawn){let t=this.index.light.parents[i]??null,e=t!==null&&(this.children.get(t)?.length??0)===1;this.depths.set(i,t===null?0:(this.depths.get(t)??0)+(e?0:1)),this.
branches.set(i,e?this.branches.get(t)??t:i)}return this.drawn}inFileOrder(){let i=[],t=[...this.children.get(null)??[]].reverse();for(let e=t.pop();e!==void 0;e=
t.pop())i.push(e),t.push(...[...this.children.get(e)??[]].reverse());return i}treeRows(i){let t=new Set;return[...this.order()].filter(e=>this.passes(e,i)).map(
e=>{let s=this.branches.get(e)??e,r=!t.has(s);return t.add(s),{at:e,begins:r}})}treeRow({at:i,begins:t}){let{light:e,kinds:s,session:r}=this.index,o=e.flags[i]??
0,a=s[e.kinds[i]??0]??"";return{at:i,id:e.ids[i]??"",depth:this.depths.get(i)??0,begins:t,kind:a,role:a==="user"||a==="assistant"?a:null,text:this.lines.get(i)??
e.summaries[i]??"",label:this.labels.get(i)??null,active:(o&mn)!==0,isLeaf:i===r.leaf,isError:(o&fn)!==0,children:this.children.get(i)?.length??0}}async request(i){
(this.index.requests?.shown??0)>0&&(this.requests??=be(mo));let t=(await this.requests)?.find(e=>e.at===i);if(!t)throw new z("The request for this reply is not \
in this file.",yn(this.index));return t}async context(i){let t=i??this.index.session.leaf;(this.index.contexts?.shown??0)>0&&(this.contexts??=be(fo));let e=(await this.
contexts)?.find(s=>s.leaf===t);if(!e)throw new z("The context at this entry is not in this file.",So(this.index));return e}part({leaf:i,filter:t,from:e,count:s,
brief:r=!1}){let o=`${i} ${t}`;return this.lastPath?.name!==o&&(this.lastPath={name:o,path:this.path(i,t)}),Promise.all([...this.lastPath.path.subarray(e,e+s)].
map(a=>this.row(a,r)))}async find(i){let t=pn(i),e=[],s=0;for(let r=0;t.length>0&&r<this.index.light.ids.length;r+=1){let o=$o((await this.row(r,!1)).body),a=o.
toLowerCase();if(!t.every(m=>a.includes(m)))continue;let[l=""]=t,c=a.indexOf(l);s+=1;let d=Math.max(0,c-40);e.length<yo&&e.push({at:r,snippet:{text:o.slice(d,c+
120),marks:[[c-d,c-d+l.length]]}})}return{total:s,isAll:e.length===s,words:t,hits:e}}};function $o(n){let i="",t=[...n].reverse();for(;t.length>0;){let e=t.pop();
if(typeof e=="string")i+=e;else if(Array.isArray(e)){i+=i&&!i.endsWith(" ")&&e[0]!=="span"&&e[0]!=="code"?" ":"";for(let s of e.slice(1).reverse())(typeof s=="s\
tring"||Array.isArray(s))&&t.push(s)}}return i}var wo=new z("This page is a file, so there is no server to ask.","Run `pitree serve` for that.");function yn({requests:n}){
if(!n)return"";let{shown:i,replies:t}=n;return i===0?"This file has no requests: the context is too long for it. `pitree serve` shows them.":i===t?"This file ha\
s the request behind each reply of the current branch.":`This file has the requests behind the last ${v(i)} of ${v(t)} replies of the current branch; \`pitree se\
rve\` shows them all.`}function So({contexts:n}){let{shown:i,branches:t}=n??{shown:0,branches:0};return`It has the context ${i===t?"at the end of each branch":`\
at the ends of ${v(i)} of ${v(t)} branches`}; \`pitree serve\` shows it at every turn.`}function ko(n){let i=new Set(["","lanes","tree"]);return n.contexts&&i.add(
"context"),n.requests&&i.add("request"),i}async function vn(){let n=await be(Os);if(n.format!==1)throw new z("This file is in a format that this page cannot rea\
d.","Export it again.");let i=new Ps(n),t=()=>Promise.reject(wo);return{hasList:!1,onlyKey:n.session.key,tabs:ko(n),canEdit:!1,sessions:()=>Promise.resolve({total:0,
offset:0,isGuess:!1,words:[],rows:[]}),projects:()=>Promise.resolve([]),session:()=>Promise.resolve(n.session),lanes:(e,s,r)=>Promise.resolve(n.session.lanes.slice(
s,s+r)),family:()=>Promise.resolve(n.session.family),marks:()=>Promise.resolve(n.marks),path:(e,s,r)=>Promise.resolve(i.path(s,r)),rows:(e,s)=>i.part(s),tree:(e,{
from:s=0,count:r,filter:o,at:a})=>{let l=i.treeRows(o),c=a===void 0?s:Math.max(0,l.findIndex(d=>d.at===a)-Math.floor(r/2));return Promise.resolve({total:l.length,
from:c,rows:l.slice(c,c+r).map(d=>i.treeRow(d))})},find:(e,s)=>i.find(s),context:(e,s)=>i.context(s),requestsHere:yn(n),request:(e,s)=>i.request(s),spend:t,stats:t,
listen:()=>()=>{},rename:t,label:t,goTo:t,deletion:t,remove:t,leafOf:(e,s)=>Promise.resolve(i.leafOf(s)),entry:(e,s)=>i.row(s,!1),resolve:(e,s)=>Promise.resolve(
n.light.ids.indexOf(s))}}function xo(n,i={}){let t=new URLSearchParams;for(let[s,r]of Object.entries(i))r!=null&&r!==""&&r!==!1&&t.set(s,String(r));let e=t.toString();return e?`api/${n}\
?${e}`:`api/${n}`}var bn="`pitree serve` was started again, so the address of this page has changed. Open the address that it printed.";async function Eo(n){let i=await n.
json().catch(()=>null);if(n.ok&&i!==null)return i;if(n.status===401)throw new z(bn);let t=i;throw new z(t?.error??`The server answered ${n.status}.`)}async function $n(n,i){
let t;try{t=await fetch(n,i)}catch{throw new z("The server does not answer.","Is `pitree serve` still running?")}return Eo(t)}function N(n,i){return $n(xo(n,i))}
function Ze(n,i){return $n(`api/${n}`,{method:"POST",headers:{"Content-Type":"application/json","X-Pitree":"1"},body:JSON.stringify(i)})}var To=5e3,Mo=1e4,Ao=18e4;
function _o(n,i){let t,e=0,s=!1,r=Date.now(),o=()=>{t=new EventSource("api/events"),t.onopen=()=>{s&&n({changed:[],list:!0,all:!0}),s=!1},t.onmessage=d=>{let{changed:m=[],
list:y=!1,all:f=!1}=JSON.parse(String(d.data));n({changed:m,list:y,all:f})},t.onerror=()=>{s=!0,t.readyState===EventSource.CLOSED&&a()}},a=async()=>{await fetch(
"api/projects").then(m=>m.status,()=>0)!==401?e=window.setTimeout(o,To):(clearInterval(c),i(bn))},l=()=>{clearTimeout(e),t.close()},c=setInterval(()=>{let d=Date.
now()-r;r=Date.now(),!(d<Ao)&&(s=!0,l(),o())},Mo);return o(),()=>{clearInterval(c),l()}}function wn(){let n=!1,i=(t,e)=>`sessions/${encodeURIComponent(t)}${e}`;
return{hasList:!0,onlyKey:"",tabs:new Set(ct.map(({tab:t})=>t)),get canEdit(){return n},sessions:async t=>{let e=await N("sessions",{...t});return e.canEdit!==void 0&&
(n=e.canEdit),e},projects:async()=>(await N("projects")).projects,session:async t=>{let e=await N(i(t,""));return e.canEdit!==void 0&&(n=e.canEdit),e},lanes:async(t,e,s)=>(await N(
i(t,"/lanes"),{from:e,count:s})).lanes,family:async t=>(await N(i(t,"/family"))).members,marks:async t=>(await N(i(t,"/marks"))).marks,path:async(t,e,s)=>{let r=await N(
i(t,"/path"),{leaf:e,filter:s});return r.runs?ei(r.runs):Int32Array.from(r.ats??[])},rows:async(t,{leaf:e,filter:s,from:r,count:o,brief:a=!1})=>(await N(i(t,"/r\
ows"),{leaf:e,filter:s,from:r,count:o,brief:a?1:null})).rows.map(Ut),tree:(t,{from:e,count:s,filter:r,at:o})=>N(i(t,"/tree"),{from:e,count:s,filter:r,at:o}),find:(t,e)=>N(
i(t,"/find"),{q:e}),context:(t,e)=>N(i(t,"/context"),{at:e}),requestsHere:"",request:(t,e,s)=>N(i(t,"/request"),{at:e,from:s}),spend:t=>N("spend",{...t}),stats:()=>N(
"stats"),listen:_o,rename:(t,e)=>Ze(i(t,"/name"),{name:e}),label:(t,e,s)=>Ze(i(t,"/label"),{at:e,label:s}),goTo:(t,e)=>Ze(i(t,"/goto"),{at:e}),deletion:t=>N(i(t,
"/deletion")),remove:(t,e)=>Ze(i(t,"/delete"),{family:e}),leafOf:async(t,e)=>(await N(i(t,"/locate"),{at:e})).leaf,resolve:async(t,e)=>{let s=/^line-(\d+)$/.exec(
e);try{return(await N(i(t,"/locate"),s?{line:s[1]}:{id:e})).at}catch{return-1}},entry:async(t,e)=>Ut(await N(i(t,"/entry"),{at:e}))}}async function Sn(){return document.getElementById(Os)?vn():wn()}var Je=["auto","light","dark"];function ts(){return Je.find(n=>n===We("theme"))??"auto"}function kn(n){return Je[(Je.indexOf(n)+1)%Je.length]??"auto"}function es(n){
document.documentElement.dataset.theme=n,Ke("theme",n),window.dispatchEvent(new Event("theme"))}var Ro={sessions:"Sessions",session:"Session",spend:"Spend",stats:"Stats"},W=class extends E{constructor(){super(...arguments);this.source=null;this.failure="";
this.route=ue(location.hash);this.listVersion=0;this.ended="";this.message="";this.theme=ts();this.messageTimer=0;this.routed=()=>{let t=ue(location.hash);this.
source&&!this.source.hasList&&Object.assign(t,{view:"session",key:this.source.onlyKey});let e=t.view!==this.route.view||t.key!==this.route.key;this.route=t,document.
title=t.view==="session"?document.title:`${Ro[t.view]} \xB7 pitree`,e&&this.updateComplete.then(()=>this.querySelector("main")?.focus({preventScroll:!0}))};this.
clicked=t=>{let s=t.target.closest("a")?.getAttribute("href");!s?.startsWith("#")||t.defaultPrevented||t.button!==0||t.ctrlKey||t.metaKey||t.shiftKey||(t.preventDefault(),
s!==location.hash&&history.pushState(null,"",s),this.routed())};this.toasted=t=>{this.message=t.detail,clearTimeout(this.messageTimer),this.messageTimer=window.
setTimeout(()=>this.message="",2600)};this.askedDelete=t=>w(this.deleting.ask(t.detail));this.pressed=t=>{if((t.ctrlKey||t.metaKey)&&t.key.toLowerCase()==="k")this.
palette.open();else if(t.key==="?"&&!qt(t)&&!t.ctrlKey&&!t.metaKey)this.help.toggle();else if(t.key==="Escape"&&qt(t)&&!t.target.closest("dialog"))t.target.blur();else
return;t.preventDefault()};this.deleted=t=>{this.listVersion+=1,this.route.view==="session"&&this.route.key===t.detail&&q(_("sessions"),!0)};this.commands=()=>{
let t=this.session;return[{name:"Show all keys",note:"?",run:()=>this.help.toggle()},{name:"Switch between light and dark",note:this.theme,run:()=>this.switchTheme()},
...this.route.view==="session"&&t?[{name:"Show or hide the tree",note:"",run:()=>t.toggleTree()},{name:"Fold or unfold all messages",note:"O",run:()=>t.conversation?.
foldAll(!t.conversation.isAllFolded)},{name:"Print this branch",note:"",run:()=>t.print()},{name:"Print from this message on",note:"",run:()=>t.printFromHere()}]:
[],...this.route.view==="session"&&t?.canEdit?[{name:"Rename this session\u2026",note:"",run:()=>t.rename()},{name:"Save the position at this message",note:"",run:()=>t.
savePosition()},{name:"Delete this session\u2026",note:"",run:()=>w(this.deleting.ask(this.route.key))}]:[]]};this.skip=t=>{t.preventDefault(),t.stopPropagation(),
this.querySelector("main")?.focus()}}connectedCallback(){this.replaceChildren(),super.connectedCallback();for(let t of["popstate","hashchange","route"])window.addEventListener(
t,this.routed);window.addEventListener("toast",this.toasted),window.addEventListener("ask-delete",this.askedDelete),window.addEventListener("keydown",this.pressed),
document.addEventListener("click",this.clicked),Sn().then(t=>this.begin(t),t=>this.failure=I(t))}begin(t){this.source=t,t.listen(e=>this.changed(e),e=>this.ended=
e),this.routed()}changed(t){(t.all||t.list||t.changed.length>0)&&(this.listVersion+=1),!this.deleting?.isTaking(this.route.key)&&this.session?.liveChange(t).catch(
()=>{})}switchTheme(){this.theme=kn(this.theme),es(this.theme)}bar(t){let e=s=>this.route.view===s?"page":p;return h`<header class="bar-top">
      <a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      ${t.hasList?h`<a class="brand" href=${_("sessions")}>pitree</a><nav aria-label="Main">
        <a href=${_("sessions")} aria-current=${e("sessions")}>Sessions</a><a href=${_("spend")} aria-current=${e("spend")}>Spend</a><a href=${_("stats")} aria-current=${e(
"stats")}>Stats</a></nav>`:h`<span class="brand">pitree</span>`}
      <span class="spacer"></span>
      <button class="go-to" @click=${()=>this.palette.open()}><span>Go to…</span><kbd>Ctrl K</kbd></button>
      <button class="quiet" title="Light, dark, or as the system" @click=${()=>this.switchTheme()}>${this.theme==="auto"?"Auto":this.theme==="dark"?"Dark":"Ligh\
t"}<span class="hidden"> colors</span></button>
      <button class="quiet" title="Keys (?)" aria-label="Keys" @click=${()=>this.help.toggle()}>?</button>
    </header>`}view(t){switch(this.route.view){case"session":return h`<pt-session .source=${t} .route=${this.route}></pt-session>`;case"spend":return h`<pt-spend .source=${t} .route=${this.
route} .version=${this.listVersion}></pt-spend>`;case"stats":return h`<pt-stats .source=${t} .version=${this.listVersion}></pt-stats>`;default:return h`<pt-sessions .source=${t} .route=${this.
route} .version=${this.listVersion}></pt-sessions>`}}render(){let t=this.source;return t?h`${this.bar(t)}${this.ended?h`<p class="notice is-bad ended" role="alert">${this.
ended}</p>`:p}${this.view(t)}
      <pt-palette .source=${t} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <pt-delete .source=${t} @deleted=${this.deleted}></pt-delete>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message?"toast is-shown":"toast"} role="status">${this.message}</div>`:h`<main class="page-message"><p>${this.failure||"Loading\u2026"}</p></main>`}};
u([g()],W.prototype,"source",2),u([g()],W.prototype,"failure",2),u([g()],W.prototype,"route",2),u([g()],W.prototype,"listVersion",2),u([g()],W.prototype,"ended",
2),u([g()],W.prototype,"message",2),u([g()],W.prototype,"theme",2),u([gt("pt-palette")],W.prototype,"palette",2),u([gt("pt-help")],W.prototype,"help",2),u([gt("\
pt-delete")],W.prototype,"deleting",2),u([gt("pt-session")],W.prototype,"session",2),W=u([x("pt-app")],W);es(ts());
