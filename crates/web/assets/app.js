var Xi=Object.defineProperty;var Qi=Object.getOwnPropertyDescriptor;var c=(n,s,e,t)=>{for(var i=t>1?void 0:t?Qi(s,e):s,r=n.length-1,o;r>=0;r--)(o=n[r])&&(i=(t?o(s,e,i):o(i))||i);return t&&i&&Xi(s,e,i),i};/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var rt=globalThis,at=rt.ShadowRoot&&(rt.ShadyCSS===void 0||rt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,
gs=Symbol(),fs=new WeakMap,ot=class{constructor(s,e,t){if(this._$cssResult$=!0,t!==gs)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` inst\
ead.");this.cssText=s,this.t=e}get styleSheet(){let s=this.o,e=this.t;if(at&&s===void 0){let t=e!==void 0&&e.length===1;t&&(s=fs.get(e)),s===void 0&&((this.o=s=
new CSSStyleSheet).replaceSync(this.cssText),t&&fs.set(e,s))}return s}toString(){return this.cssText}},ys=n=>new ot(typeof n=="string"?n:n+"",void 0,gs);var vs=(n,s)=>{if(at)n.adoptedStyleSheets=s.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of s){let t=document.createElement("style"),i=rt.litNonce;
i!==void 0&&t.setAttribute("nonce",i),t.textContent=e.cssText,n.appendChild(t)}},Dt=at?n=>n:n=>n instanceof CSSStyleSheet?(s=>{let e="";for(let t of s.cssRules)
e+=t.cssText;return ys(e)})(n):n;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:Ji,defineProperty:Zi,getOwnPropertyDescriptor:en,getOwnPropertyNames:tn,getOwnPropertySymbols:sn,getPrototypeOf:nn}=Object,lt=globalThis,bs=lt.trustedTypes,
rn=bs?bs.emptyScript:"",on=lt.reactiveElementPolyfillSupport,Ke=(n,s)=>n,ze={toAttribute(n,s){switch(s){case Boolean:n=n?rn:null;break;case Object:case Array:n=
n==null?n:JSON.stringify(n)}return n},fromAttribute(n,s){let e=n;switch(s){case Boolean:e=n!==null;break;case Number:e=n===null?null:Number(n);break;case Object:case Array:
try{e=JSON.parse(n)}catch{e=null}}return e}},ht=(n,s)=>!Ji(n,s),$s={attribute:!0,type:String,converter:ze,reflect:!1,useDefault:!1,hasChanged:ht};Symbol.metadata??=
Symbol("metadata"),lt.litPropertyMetadata??=new WeakMap;var Z=class extends HTMLElement{static addInitializer(s){this._$Ei(),(this.l??=[]).push(s)}static get observedAttributes(){
return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(s,e=$s){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(s)&&
((e=Object.create(e)).wrapped=!0),this.elementProperties.set(s,e),!e.noAccessor){let t=Symbol(),i=this.getPropertyDescriptor(s,t,e);i!==void 0&&Zi(this.prototype,
s,i)}}static getPropertyDescriptor(s,e,t){let{get:i,set:r}=en(this.prototype,s)??{get(){return this[e]},set(o){this[e]=o}};return{get:i,set(o){let a=i?.call(this);
r?.call(this,o),this.requestUpdate(s,a,t)},configurable:!0,enumerable:!0}}static getPropertyOptions(s){return this.elementProperties.get(s)??$s}static _$Ei(){if(this.
hasOwnProperty(Ke("elementProperties")))return;let s=nn(this);s.finalize(),s.l!==void 0&&(this.l=[...s.l]),this.elementProperties=new Map(s.elementProperties)}static finalize(){
if(this.hasOwnProperty(Ke("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Ke("properties"))){let e=this.properties,t=[...tn(e),...sn(e)];
for(let i of t)this.createProperty(i,e[i])}let s=this[Symbol.metadata];if(s!==null){let e=litPropertyMetadata.get(s);if(e!==void 0)for(let[t,i]of e)this.elementProperties.
set(t,i)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let i=this._$Eu(e,t);i!==void 0&&this._$Eh.set(i,e)}this.elementStyles=this.finalizeStyles(this.
styles)}static finalizeStyles(s){let e=[];if(Array.isArray(s)){let t=new Set(s.flat(1/0).reverse());for(let i of t)e.unshift(Dt(i))}else s!==void 0&&e.push(Dt(s));
return e}static _$Eu(s,e){let t=e.attribute;return t===!1?void 0:typeof t=="string"?t:typeof s=="string"?s.toLowerCase():void 0}constructor(){super(),this._$Ep=
void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(s=>this.enableUpdating=s),this._$AL=new Map,this._$E_(),
this.requestUpdate(),this.constructor.l?.forEach(s=>s(this))}addController(s){(this._$EO??=new Set).add(s),this.renderRoot!==void 0&&this.isConnected&&s.hostConnected?.()}removeController(s){
this._$EO?.delete(s)}_$E_(){let s=new Map,e=this.constructor.elementProperties;for(let t of e.keys())this.hasOwnProperty(t)&&(s.set(t,this[t]),delete this[t]);s.
size>0&&(this._$Ep=s)}createRenderRoot(){let s=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return vs(s,this.constructor.elementStyles),
s}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(s=>s.hostConnected?.())}enableUpdating(s){}disconnectedCallback(){
this._$EO?.forEach(s=>s.hostDisconnected?.())}attributeChangedCallback(s,e,t){this._$AK(s,t)}_$ET(s,e){let t=this.constructor.elementProperties.get(s),i=this.constructor.
_$Eu(s,t);if(i!==void 0&&t.reflect===!0){let r=(t.converter?.toAttribute!==void 0?t.converter:ze).toAttribute(e,t.type);this._$Em=s,r==null?this.removeAttribute(
i):this.setAttribute(i,r),this._$Em=null}}_$AK(s,e){let t=this.constructor,i=t._$Eh.get(s);if(i!==void 0&&this._$Em!==i){let r=t.getPropertyOptions(i),o=typeof r.
converter=="function"?{fromAttribute:r.converter}:r.converter?.fromAttribute!==void 0?r.converter:ze;this._$Em=i;let a=o.fromAttribute(e,r.type);this[i]=a??this.
_$Ej?.get(i)??a,this._$Em=null}}requestUpdate(s,e,t,i=!1,r){if(s!==void 0){let o=this.constructor;if(i===!1&&(r=this[s]),t??=o.getPropertyOptions(s),!((t.hasChanged??
ht)(r,e)||t.useDefault&&t.reflect&&r===this._$Ej?.get(s)&&!this.hasAttribute(o._$Eu(s,t))))return;this.C(s,e,t)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(s,e,{
useDefault:t,reflect:i,wrapped:r},o){t&&!(this._$Ej??=new Map).has(s)&&(this._$Ej.set(s,o??e??this[s]),r!==!0||o!==void 0)||(this._$AL.has(s)||(this.hasUpdated||
t||(e=void 0),this._$AL.set(s,e)),i===!0&&this._$Em!==s&&(this._$Eq??=new Set).add(s))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.
reject(e)}let s=this.scheduleUpdate();return s!=null&&await s,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)
return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,r]of this._$Ep)this[i]=r;this._$Ep=void 0}let t=this.constructor.elementProperties;
if(t.size>0)for(let[i,r]of t){let{wrapped:o}=r,a=this[i];o!==!0||this._$AL.has(i)||a===void 0||this.C(i,void 0,r,a)}}let s=!1,e=this._$AL;try{s=this.shouldUpdate(
e),s?(this.willUpdate(e),this._$EO?.forEach(t=>t.hostUpdate?.()),this.update(e)):this._$EM()}catch(t){throw s=!1,this._$EM(),t}s&&this._$AE(e)}willUpdate(s){}_$AE(s){
this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(s)),this.updated(s)}_$EM(){this._$AL=new Map,this.isUpdatePending=
!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(s){return!0}update(s){this._$Eq&&=this._$Eq.forEach(e=>this.
_$ET(e,this[e])),this._$EM()}updated(s){}firstUpdated(s){}};Z.elementStyles=[],Z.shadowRootOptions={mode:"open"},Z[Ke("elementProperties")]=new Map,Z[Ke("finali\
zed")]=new Map,on?.({ReactiveElement:Z}),(lt.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Bt=globalThis,ws=n=>n,ct=Bt.trustedTypes,ks=ct?ct.createPolicy("lit-html",{createHTML:n=>n}):void 0,jt="$lit$",ee=`lit$${Math.random().toFixed(9).slice(2)}\
$`,Kt="?"+ee,an=`<${Kt}>`,be=document,Ge=()=>be.createComment(""),Ye=n=>n===null||typeof n!="object"&&typeof n!="function",zt=Array.isArray,Rs=n=>zt(n)||typeof n?.[Symbol.
iterator]=="function",Ut=`[ 	
\f\r]`,We=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,xs=/-->/g,Ss=/>/g,ye=RegExp(`>|${Ut}(?:([^\\s"'>=/]+)(${Ut}*=${Ut}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Es=/'/g,Ts=/"/g,Ms=/^(?:script|style|textarea|title)$/i,Wt=n=>(s,...e)=>({_$litType$:n,strings:s,values:e}),h=Wt(1),O=Wt(2),ro=Wt(
3),B=Symbol.for("lit-noChange"),u=Symbol.for("lit-nothing"),As=new WeakMap,ve=be.createTreeWalker(be,129);function Ps(n,s){if(!zt(n)||!n.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return ks!==void 0?ks.createHTML(s):s}var Cs=(n,s)=>{let e=n.length-1,t=[],i,r=s===2?"<svg>":s===3?"<math>":"",o=We;for(let a=0;a<
e;a++){let l=n[a],d,p,g=-1,b=0;for(;b<l.length&&(o.lastIndex=b,p=o.exec(l),p!==null);)b=o.lastIndex,o===We?p[1]==="!--"?o=xs:p[1]!==void 0?o=Ss:p[2]!==void 0?(Ms.
test(p[2])&&(i=RegExp("</"+p[2],"g")),o=ye):p[3]!==void 0&&(o=ye):o===ye?p[0]===">"?(o=i??We,g=-1):p[1]===void 0?g=-2:(g=o.lastIndex-p[2].length,d=p[1],o=p[3]===
void 0?ye:p[3]==='"'?Ts:Es):o===Ts||o===Es?o=ye:o===xs||o===Ss?o=We:(o=ye,i=void 0);let $=o===ye&&n[a+1].startsWith("/>")?" ":"";r+=o===We?l+an:g>=0?(t.push(d),
l.slice(0,g)+jt+l.slice(g)+ee+$):l+ee+(g===-2?a:$)}return[Ps(n,r+(n[e]||"<?>")+(s===2?"</svg>":s===3?"</math>":"")),t]},Ve=class n{constructor({strings:s,_$litType$:e},t){
let i;this.parts=[];let r=0,o=0,a=s.length-1,l=this.parts,[d,p]=Cs(s,e);if(this.el=n.createElement(d,t),ve.currentNode=this.el.content,e===2||e===3){let g=this.
el.content.firstChild;g.replaceWith(...g.childNodes)}for(;(i=ve.nextNode())!==null&&l.length<a;){if(i.nodeType===1){if(i.hasAttributes())for(let g of i.getAttributeNames())
if(g.endsWith(jt)){let b=p[o++],$=i.getAttribute(g).split(ee),E=/([.?@])?(.*)/.exec(b);l.push({type:1,index:r,name:E[2],strings:$,ctor:E[1]==="."?ut:E[1]==="?"?
pt:E[1]==="@"?mt:we}),i.removeAttribute(g)}else g.startsWith(ee)&&(l.push({type:6,index:r}),i.removeAttribute(g));if(Ms.test(i.tagName)){let g=i.textContent.split(
ee),b=g.length-1;if(b>0){i.textContent=ct?ct.emptyScript:"";for(let $=0;$<b;$++)i.append(g[$],Ge()),ve.nextNode(),l.push({type:2,index:++r});i.append(g[b],Ge())}}}else if(i.
nodeType===8)if(i.data===Kt)l.push({type:2,index:r});else{let g=-1;for(;(g=i.data.indexOf(ee,g+1))!==-1;)l.push({type:7,index:r}),g+=ee.length-1}r++}}static createElement(s,e){
let t=be.createElement("template");return t.innerHTML=s,t}};function $e(n,s,e=n,t){if(s===B)return s;let i=t!==void 0?e._$Co?.[t]:e._$Cl,r=Ye(s)?void 0:s._$litDirective$;
return i?.constructor!==r&&(i?._$AO?.(!1),r===void 0?i=void 0:(i=new r(n),i._$AT(n,e,t)),t!==void 0?(e._$Co??=[])[t]=i:e._$Cl=i),i!==void 0&&(s=$e(n,i._$AS(n,s.
values),i,t)),s}var dt=class{constructor(s,e){this._$AV=[],this._$AN=void 0,this._$AD=s,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(s){let{el:{content:e},parts:t}=this._$AD,i=(s?.creationScope??be).importNode(e,!0);ve.currentNode=i;let r=ve.nextNode(),o=0,a=0,l=t[0];for(;l!==void 0;){
if(o===l.index){let d;l.type===2?d=new Le(r,r.nextSibling,this,s):l.type===1?d=new l.ctor(r,l.name,l.strings,this,s):l.type===6&&(d=new ft(r,this,s)),this._$AV.
push(d),l=t[++a]}o!==l?.index&&(r=ve.nextNode(),o++)}return ve.currentNode=be,i}p(s){let e=0;for(let t of this._$AV)t!==void 0&&(t.strings!==void 0?(t._$AI(s,t,
e),e+=t.strings.length-2):t._$AI(s[e])),e++}},Le=class n{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(s,e,t,i){this.type=2,this._$AH=u,this._$AN=void 0,
this._$AA=s,this._$AB=e,this._$AM=t,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let s=this._$AA.parentNode,e=this._$AM;return e!==void 0&&s?.nodeType===
11&&(s=e.parentNode),s}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(s,e=this){s=$e(this,s,e),Ye(s)?s===u||s==null||s===""?(this._$AH!==u&&
this._$AR(),this._$AH=u):s!==this._$AH&&s!==B&&this._(s):s._$litType$!==void 0?this.$(s):s.nodeType!==void 0?this.T(s):Rs(s)?this.k(s):this._(s)}O(s){return this.
_$AA.parentNode.insertBefore(s,this._$AB)}T(s){this._$AH!==s&&(this._$AR(),this._$AH=this.O(s))}_(s){this._$AH!==u&&Ye(this._$AH)?this._$AA.nextSibling.data=s:this.
T(be.createTextNode(s)),this._$AH=s}$(s){let{values:e,_$litType$:t}=s,i=typeof t=="number"?this._$AC(s):(t.el===void 0&&(t.el=Ve.createElement(Ps(t.h,t.h[0]),this.
options)),t);if(this._$AH?._$AD===i)this._$AH.p(e);else{let r=new dt(i,this),o=r.u(this.options);r.p(e),this.T(o),this._$AH=r}}_$AC(s){let e=As.get(s.strings);return e===
void 0&&As.set(s.strings,e=new Ve(s)),e}k(s){zt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,t,i=0;for(let r of s)i===e.length?e.push(t=new n(this.O(Ge()),
this.O(Ge()),this,this.options)):t=e[i],t._$AI(r),i++;i<e.length&&(this._$AR(t&&t._$AB.nextSibling,i),e.length=i)}_$AR(s=this._$AA.nextSibling,e){for(this._$AP?.(
!1,!0,e);s!==this._$AB;){let t=ws(s).nextSibling;ws(s).remove(),s=t}}setConnected(s){this._$AM===void 0&&(this._$Cv=s,this._$AP?.(s))}},we=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(s,e,t,i,r){this.type=1,this._$AH=u,this._$AN=void 0,this.element=s,this.name=e,this._$AM=i,this.options=
r,t.length>2||t[0]!==""||t[1]!==""?(this._$AH=Array(t.length-1).fill(new String),this.strings=t):this._$AH=u}_$AI(s,e=this,t,i){let r=this.strings,o=!1;if(r===void 0)
s=$e(this,s,e,0),o=!Ye(s)||s!==this._$AH&&s!==B,o&&(this._$AH=s);else{let a=s,l,d;for(s=r[0],l=0;l<r.length-1;l++)d=$e(this,a[t+l],e,l),d===B&&(d=this._$AH[l]),
o||=!Ye(d)||d!==this._$AH[l],d===u?s=u:s!==u&&(s+=(d??"")+r[l+1]),this._$AH[l]=d}o&&!i&&this.j(s)}j(s){s===u?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,s??"")}},ut=class extends we{constructor(){super(...arguments),this.type=3}j(s){this.element[this.name]=s===u?void 0:s}},pt=class extends we{constructor(){
super(...arguments),this.type=4}j(s){this.element.toggleAttribute(this.name,!!s&&s!==u)}},mt=class extends we{constructor(s,e,t,i,r){super(s,e,t,i,r),this.type=
5}_$AI(s,e=this){if((s=$e(this,s,e,0)??u)===B)return;let t=this._$AH,i=s===u&&t!==u||s.capture!==t.capture||s.once!==t.once||s.passive!==t.passive,r=s!==u&&(t===
u||i);i&&this.element.removeEventListener(this.name,this,t),r&&this.element.addEventListener(this.name,this,s),this._$AH=s}handleEvent(s){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,s):this._$AH.handleEvent(s)}},ft=class{constructor(s,e,t){this.element=s,this.type=6,this._$AN=void 0,this.
_$AM=e,this.options=t}get _$AU(){return this._$AM._$AU}_$AI(s){$e(this,s)}},Ls={M:jt,P:ee,A:Kt,C:1,L:Cs,R:dt,D:Rs,V:$e,I:Le,H:we,N:pt,U:mt,B:ut,F:ft},ln=Bt.litHtmlPolyfillSupport;
ln?.(Ve,Le),(Bt.litHtmlVersions??=[]).push("3.3.3");var _s=(n,s,e)=>{let t=e?.renderBefore??s,i=t._$litPart$;if(i===void 0){let r=e?.renderBefore??null;t._$litPart$=
i=new Le(s.insertBefore(Ge(),r),r,void 0,e??{})}return i._$AI(n),i};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Gt=globalThis,oe=class extends Z{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let s=super.createRenderRoot();
return this.renderOptions.renderBefore??=s.firstChild,s}update(s){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(
s),this._$Do=_s(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),
this._$Do?.setConnected(!1)}render(){return B}};oe._$litElement$=!0,oe.finalized=!0,Gt.litElementHydrateSupport?.({LitElement:oe});var hn=Gt.litElementPolyfillSupport;
hn?.({LitElement:oe});(Gt.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var k=n=>(s,e)=>{e!==void 0?e.addInitializer(()=>{customElements.define(n,s)}):customElements.define(n,s)};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var cn={attribute:!0,type:String,converter:ze,reflect:!1,hasChanged:ht},dn=(n=cn,s,e)=>{let{kind:t,metadata:i}=e,r=globalThis.litPropertyMetadata.get(i);if(r===
void 0&&globalThis.litPropertyMetadata.set(i,r=new Map),t==="setter"&&((n=Object.create(n)).wrapped=!0),r.set(e.name,n),t==="accessor"){let{name:o}=e;return{set(a){
let l=s.get.call(this);s.set.call(this,a),this.requestUpdate(o,l,n,!0,a)},init(a){return a!==void 0&&this.C(o,void 0,n,a),a}}}if(t==="setter"){let{name:o}=e;return function(a){
let l=this[o];s.call(this,a),this.requestUpdate(o,l,n,!0,a)}}throw Error("Unsupported decorator location: "+t)};function y(n){return(s,e)=>typeof e=="object"?dn(
n,s,e):((t,i,r)=>{let o=i.hasOwnProperty(r);return i.constructor.createProperty(r,t),o?Object.getOwnPropertyDescriptor(i,r):void 0})(n,s,e)}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function m(n){return y({...n,state:!0,attribute:!1})}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var ke=(n,s,e)=>(e.configurable=!0,e.enumerable=!0,Reflect.decorate&&typeof s!="object"&&Object.defineProperty(n,s,e),e);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function ae(n,s){return(e,t,i)=>{let r=o=>o.renderRoot?.querySelector(n)??null;if(s){let{get:o,set:a}=typeof t=="object"?e:i??(()=>{let l=Symbol();return{get(){
return this[l]},set(d){this[l]=d}}})();return ke(e,t,{get(){let l=o.call(this);return l===void 0&&(l=r(this),(l!==null||this.hasUpdated)&&a.call(this,l)),l}})}return ke(
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
 */var gt={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},yt=n=>(...s)=>({_$litDirective$:n,values:s}),_e=class{constructor(s){}get _$AU(){
return this._$AM._$AU}_$AT(s,e,t){this._$Ct=s,this._$AM=e,this._$Ci=t}_$AS(s,e){return this.update(s,e)}update(s,e){return this.render(...e)}};var Yt=class extends _e{constructor(s){if(super(s),s.type!==gt.ATTRIBUTE||s.name!=="style")throw new Error("styles() belongs into `style`")}render(s){return B}update(s,[
e]){let{style:t}=s.element;for(let[i,r]of Object.entries(e))t.setProperty(i,r);return B}},R=yt(Yt);function Vt(n){let s=10**Math.floor(Math.log10(n/2)),e=[5,2,1].map(t=>t*s).find(t=>n/t>=2)??s;return Array.from({length:Math.floor(n/e)+1},(t,i)=>i*e)}function Xe(n,s=!1){
let e=Math.max(1e-9,...n.map(({value:t})=>t));return h`<div class=${s?"bars is-wide":"bars"}>${n.map(({name:t,title:i,value:r,shown:o,note:a,link:l})=>{let d=h`<span class="bar-name" title=${i}>${t}</span><span class="bar-value">${o}${a?
h` <small>${a}</small>`:u}</span>
      <span class="bar-fill series-0" style=${R({width:`${r/e*100}%`})}></span>`;return l===null?h`<div class="bar">${d}</div>`:h`<a class="bar" href=${l}>${d}</a>`})}</div>`}
function vt(n,s,e,t){let i=Math.max(1e-9,...n.map(({value:o})=>o)),r=h`<div class="chart-axis" aria-hidden="true">${Vt(i).map(o=>h`<span style=${R({"--at":String(
1-o/i)})}>${t(o)}</span>`)}</div>`;return h`<div class="standing-frame">${r}<div class="standing" role="group" aria-label=${s}>${n.map((o,a)=>{let l=`${o.title}\
: ${o.shown}`,d=o.value>0?`max(2px, ${o.value/i*100}%)`:"0",p=h`<span class="column-fill" style=${R({height:d})}></span><span class="tick" aria-hidden="true">${e(
o,a)}</span>`;return o.link===null?h`<span class="column" role="img" aria-label=${l} title=${l}>${p}</span>`:h`<a class="column" href=${o.link} aria-label=${l} title=${l}>${p}</a>`})}</div></div>`}
function Os(n){if(!n||n.every(t=>t===0))return h`<span class="spark"></span>`;let s=Math.max(...n),e=n.map((t,i)=>t===0?"":`M${i*3+1} 16v${-Math.max(1.5,t/s*15)}`).
join("");return h`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${e}></path></svg>`}var q=class extends Error{constructor(s,e=null){super(s),this.hint=e}};function Oe(n){return(n.title??"").replace(/^user: /,"")||"Untitled branch"}function C(n){
return n instanceof q?n.hint?`${n.message} ${n.hint}`:n.message:n instanceof Error?n.message:String(n)}function Xt(n){let s=n.reduce((i,[,r])=>i+r,0),e=new Int32Array(
s),t=0;for(let[i,r]of n)for(let o=0;o<r;o+=1)e[t++]=i+o;return e}function xe(n){return{at:n.at??0,parent:n.parent??null,id:n.id??"",kind:n.kind??"note",who:n.who??
"",what:n.what??null,particulars:n.particulars??[],label:n.label??null,time:n.time??null,isError:!!n.isError,isFolded:!!n.isFolded,summary:n.summary??"",body:n.
body??[],calls:n.calls??[]}}var x=class extends oe{createRenderRoot(){return this}};function le(n){let s=document.getElementById("announcer");s&&s.textContent!==n&&(s.textContent=n)}function L(n){
window.dispatchEvent(new CustomEvent("toast",{detail:n}))}function v(n){n.catch(s=>L(C(s)))}var un=500;function Qt(){return new Promise(n=>{requestAnimationFrame(
()=>setTimeout(n)),setTimeout(n,un)})}function z(n,s){let e=0;return(...t)=>{clearTimeout(e),e=window.setTimeout(()=>s(...t),n)}}async function W(n){try{await navigator.
clipboard.writeText(n)}catch{let s=document.createElement("textarea");s.value=n,document.body.append(s),s.select(),document.execCommand("copy"),s.remove()}}var Fs=new Intl.NumberFormat("en-US"),pn=new Intl.NumberFormat("en-US",{notation:"compact",maximumFractionDigits:1}),Is=new Intl.DateTimeFormat("en-US",{hour:"n\
umeric",minute:"2-digit"}),mn=new Intl.DateTimeFormat("en-US",{month:"short",day:"numeric"}),fn=new Intl.DateTimeFormat("en-US",{year:"numeric",month:"short",day:"\
numeric"}),gn=new Intl.DateTimeFormat("en-US",{dateStyle:"medium",timeStyle:"medium"}),yn=864e5;function f(n){return Fs.format(n)}function P(n){return n<1e3?Fs.
format(Math.round(n)):pn.format(n).toLowerCase()}function he(n){return`entry ${f(n+1)}`}function w(n,s,e=`${s}s`){return`${f(n)} ${n===1?s:e}`}function Se(n){return n===
null?"\u2013":n===0?"$0":n<.01?"<$0.01":`$${n.toLocaleString("en-US",{minimumFractionDigits:2,maximumFractionDigits:2})}`}function ce(n){if(n===null)return"";let s=new Date(
n),e=new Date;return s.toDateString()===e.toDateString()?Is.format(s):e.getTime()-n<300*yn?mn.format(s):fn.format(s)}function qs(n){return n===null?"":Is.format(
new Date(n))}function Ee(n){return n===null?"":gn.format(new Date(n))}function U(n,s=2){let e=n.split("/").filter(Boolean);return e.length<=s?n:e.slice(-s).join(
"/")}function S(n,s=160){let e=n.replace(/\s+/g," ").trim();return e.length>s?`${e.slice(0,s-1)}\u2026`:e}var Te=1e3,te=240,vn=250,bn=10,G=class extends x{constructor(){super(...arguments);this.at=null;this.facts=null;this.selected=-1;this.turn=null;this.failure="";
this.loadedAs="";this.pressed=e=>{let t=bt(this.facts?.turns??[]),r={ArrowLeft:-1,ArrowRight:1,PageUp:-10,PageDown:10,Home:-t.length,End:t.length}[e.key],o=t[this.
selected];if(e.key==="Enter"&&o)this.pick(o);else if(r!==void 0)this.selected=Math.max(0,Math.min(t.length-1,this.selected+r));else return;e.preventDefault(),e.
stopPropagation()};this.pointed=e=>{let t=e.currentTarget.getBoundingClientRect(),i=bt(this.facts?.turns??[]);this.selected=Math.max(0,Math.min(i.length-1,Math.
floor((e.clientX-t.left)/t.width*i.length)))}}willUpdate(e){let t=`${this.model.key} ${this.model.leaf}`;t===this.loadedAs||!this.model.facts||(this.loadedAs=t,
v(this.load()))}async load(){[this.turn,this.facts,this.failure]=[null,null,""];let{loadedAs:e}=this,t=await this.model.source.context(this.model.key,this.model.
leaf).catch(o=>C(o));if(e!==this.loadedAs)return;if(typeof t=="string"){this.failure=t;return}this.facts=t;let i=bt(t.turns),r=this.at===null?-1:i.findIndex(({turn:o})=>o.
at>=(this.at??0));this.selected=r>=0?r:i.length-1}pick({turn:e}){let{facts:t}=this;v(this.model.source.context(this.model.key,e.at).then(i=>{t===this.facts&&([this.
turn,this.failure]=[{name:Jt(e),facts:i},""])},i=>{t===this.facts&&([this.turn,this.failure]=[null,C(i)])}))}chart(e,t){let i=Hs(e),r=Math.max(1,...t.map(({turn:p})=>p.
total)),o=e.window!==null&&r>=e.window/bn,a=o?Math.max(r,(e.window??0)*1.04):r,l=t[this.selected],d=l?`${Jt(l.turn)}: ${f(l.turn.total)} tokens`:"";return h`<div class="chart-frame"><div class="chart-axis" aria-hidden="true">${Vt(
a).map(p=>h`<span style=${R({"--at":String(1-p/a)})}>${P(p)}</span>`)}</div>
      <svg class="context-chart" viewBox="0 0 ${Te} ${te}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by reply"
        aria-valuemin="1" aria-valuemax=${Math.max(1,t.length)} aria-valuenow=${this.selected+1} aria-valuetext=${d} @keydown=${this.pressed} @pointermove=${this.
pointed}
        @click=${()=>l&&this.pick(l)}>
        ${t.map((p,g)=>$n(p,g,t.length,i,a))}
        ${t.map((p,g)=>p.compacts?O`<line class="compaction" x1=${g*Te/t.length} x2=${g*Te/t.length} y1="0" y2=${te}></line>`:u)}
        ${e.window&&o?O`<line class="limit" x1="0" x2=${Te} y1=${te-e.window/a*te} y2=${te-e.window/a*te}></line>`:u}
        ${l?O`<rect class="selected" x=${this.selected*Te/t.length} width=${Te/t.length} y="0" height=${te}></rect>`:u}
      </svg>${e.window&&o?h`<span class="limit-name" style=${R({"--at":String(1-e.window/a)})}>window: ${P(e.window)}</span>`:u}</div>
      ${e.window&&!o?h`<p class="muted">The model’s context window (${P(e.window)} tokens) is far above this chart.</p>`:u}
      ${l?this.readout(l,i):u}`}readout({turn:e,compacts:t},i){return h`<p class="readout"><span><a href=${this.model.link(e.at)}>${Jt(e)}</a>: <b>${f(e.total)}</b> tokens${e.
reported&&e.reported!==e.total?h` (${f(e.reported)} reported)`:u}${t&&!e.compaction?", after a compaction":""}</span>
      ${i.map((r,o)=>e.parts[r]?h`<span class=${`key series-${o%8}`}>${r} ${P(e.parts[r]??0)}</span>`:u)}</p>`}render(){let e=this.facts;if(!e)return h`<div class="page-pad"><p class=${this.
failure?"notice is-bad":"muted"}>${this.failure||"Computing the context\u2026"}</p></div>`;let t=this.turn?.facts??e,i=bt(e.turns),r=Math.max(1,...t.largest.map(
({tokens:l})=>l)),o=Hs(e),a=l=>`series-${(o.includes(l)?o:t.parts.map(d=>d.name)).indexOf(l)%8}`;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${P(e.total)}</b><span>tokens now</span></div>
        ${e.window?h`<div><b>${Math.round(e.total/e.window*100)}%</b><span>of the model’s ${P(e.window)}</span></div>`:u}
        <div><b>${f(e.replies)}</b><span>${e.replies===1?"reply":"replies"}</span></div><div><b>${f(e.compactions)}</b><span>${e.compactions===1?"compaction":"c\
ompactions"}</span></div>
      </div>
      <section class="card"><h2>Context by reply</h2>${i.length===0?h`<p class="muted">No request was sent on this branch.</p>`:this.chart(e,i)}</section>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:u}
      ${this.turn?h`<p><button class="quiet" @click=${()=>this.turn=null}>Back to now</button></p>`:u}
      <div class="columns">
        <section class="card"><h2>${this.turn?this.turn.name:"Now"}</h2>${t.parts.map(({name:l,tokens:d})=>Ns(l,d,Math.max(1,...t.parts.map(p=>p.tokens)),a(l),null))}</section>
        <section class="card"><h2>Largest entries${this.turn?`: ${this.turn.name}`:u}</h2>${t.largest.map(({at:l,what:d,tokens:p})=>Ns(S(d,110),p,r,"series-2",this.
model.link(l)))}
          ${t.largest.length===0?h`<p class="muted">Nothing yet.</p>`:u}</section>
      </div>
      <p class="muted">${w(e.replies,"reply","replies")} on this branch. Sizes are estimated as Pi does it, up to the total that the provider reported.${e.window?
"":" The size of the model\u2019s context window is not known."}</p>
    </div>`}};c([y({attribute:!1})],G.prototype,"model",2),c([y({attribute:!1})],G.prototype,"at",2),c([m()],G.prototype,"facts",2),c([m()],G.prototype,"selecte\
d",2),c([m()],G.prototype,"turn",2),c([m()],G.prototype,"failure",2),G=c([k("pt-context")],G);function Jt({reply:n,compaction:s}){return s?`Compaction after rep\
ly ${f(n)}`:`Reply ${f(n)}`}function Hs({parts:n,turns:s}){return[...new Set([...n.map(({name:e})=>e),...s.flatMap(e=>Object.keys(e.parts))])]}function $n({turn:n},s,e,t,i){
let r=Te/e,o=e>80?0:1.5,a=0;return t.map((l,d)=>{let p=(n.parts[l]??0)/i*te;return a+=p,O`<rect class=${`series-${d%8}`} x=${s*r} y=${te-a} width=${r-o} height=${p}></rect>`})}
function Ns(n,s,e,t,i){let r=h`<span class="bar-name">${n}</span><span class="bar-value">${P(s)}</span><span class=${`bar-fill ${t}`} style=${R({width:`${s/e*100}\
%`})}></span>`;return i===null?h`<div class="bar">${r}</div>`:h`<a class="bar" href=${i}>${r}</a>`}function bt(n){let s=Math.max(1,Math.ceil(n.length/vn)),e=[];
for(let t=0;t<n.length;t+=s){let i=n.slice(t,t+s),r=i.reduce((o,a)=>a.total>o.total?a:o);e.push({turn:r,compacts:i.some(({compaction:o})=>o)})}return e}/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:wn}=Ls,Ds=n=>n;var Us=()=>document.createComment(""),Fe=(n,s,e)=>{let t=n._$AA.parentNode,i=s===void 0?n._$AB:s._$AA;if(e===void 0){let r=t.insertBefore(Us(),i),o=t.insertBefore(
Us(),i);e=new wn(r,o,n,n.options)}else{let r=e._$AB.nextSibling,o=e._$AM,a=o!==n;if(a){let l;e._$AQ?.(n),e._$AM=n,e._$AP!==void 0&&(l=n._$AU)!==o._$AU&&e._$AP(l)}
if(r!==i||a){let l=e._$AA;for(;l!==r;){let d=Ds(l).nextSibling;Ds(t).insertBefore(l,i),l=d}}}return e},de=(n,s,e=n)=>(n._$AI(s,e),n),kn={},Bs=(n,s=kn)=>n._$AH=s,
js=n=>n._$AH,$t=n=>{n._$AR(),n._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Ks=(n,s,e)=>{let t=new Map;for(let i=s;i<=e;i++)t.set(n[i],i);return t},Ie=yt(class extends _e{constructor(n){if(super(n),n.type!==gt.CHILD)throw Error("\
repeat() can only be used in text expressions")}dt(n,s,e){let t;e===void 0?e=s:s!==void 0&&(t=s);let i=[],r=[],o=0;for(let a of n)i[o]=t?t(a,o):o,r[o]=e(a,o),o++;
return{values:r,keys:i}}render(n,s,e){return this.dt(n,s,e).values}update(n,[s,e,t]){let i=js(n),{values:r,keys:o}=this.dt(s,e,t);if(!Array.isArray(i))return this.
ut=o,r;let a=this.ut??=[],l=[],d,p,g=0,b=i.length-1,$=0,E=r.length-1;for(;g<=b&&$<=E;)if(i[g]===null)g++;else if(i[b]===null)b--;else if(a[g]===o[$])l[$]=de(i[g],
r[$]),g++,$++;else if(a[b]===o[E])l[E]=de(i[b],r[E]),b--,E--;else if(a[g]===o[E])l[E]=de(i[g],r[E]),Fe(n,l[E+1],i[g]),g++,E--;else if(a[b]===o[$])l[$]=de(i[b],r[$]),
Fe(n,i[g],i[b]),b--,$++;else if(d===void 0&&(d=Ks(o,$,E),p=Ks(a,g,b)),d.has(a[g]))if(d.has(a[b])){let M=p.get(o[$]),ge=M!==void 0?i[M]:null;if(ge===null){let je=Fe(
n,i[g]);de(je,r[$]),l[$]=je}else l[$]=de(ge,r[$]),Fe(n,i[g],ge),i[M]=null;$++}else $t(i[b]),b--;else $t(i[g]),g++;for(;$<=E;){let M=Fe(n,l[E+1]);de(M,r[$]),l[$++]=
M}for(;g<=b;){let M=i[g++];M!==null&&$t(M)}return this.ut=o,Bs(n,l),B}});var xn=new Set(["p","h1","h2","h3","h4","h5","h6","ul","ol","li","blockquote","pre","code","em","strong","del","a","table","thead","tbody","tr","th","td","hr","\
br","span","div","details","summary","img","dl","dt","dd"]),Sn=/^(?:https?:\/\/|mailto:)/i,En=/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,Tn=/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/,
An={h1:"h3",h2:"h4",h3:"h5",h4:"h6",h5:"h6"},Rn=100;function zs(n){return typeof n=="object"&&n!==null&&!Array.isArray(n)}function Ae(n){return typeof n=="strin\
g"?n:null}function Mn(n,s){let e=Ae(s);e===null||!Sn.test(e)||(n.setAttribute("href",e),n.setAttribute("rel","noreferrer noopener"),n.setAttribute("target","_bl\
ank"))}function Pn(n,s){let e=Ae(s.src)??"";n.setAttribute("src",e),n.setAttribute("alt",Ae(s.t)??"Image"),n.setAttribute("loading","lazy")}function Cn(n,s,e){let t=Ae(
e.c);t!==null&&Tn.test(t)&&(n.className=t);let i=Ae(e.t);i!==null&&s!=="img"&&(n.title=i),s==="a"&&Mn(n,e.h),s==="img"&&Pn(n,e),Number.isInteger(e.n)&&(n.dataset.
left=String(e.n)),s==="details"&&e.o===1&&n.setAttribute("open",""),s==="ol"&&Number.isInteger(e.s)&&n.setAttribute("start",String(e.s));let r=Ae(e.a);(s==="td"||
s==="th")&&r!==null&&/^(?:left|center|right)$/.test(r)&&n.classList.add(`align-${r}`)}function Ws(n,s,e){if(typeof s=="string"){n.append(s);return}if(!Array.isArray(
s)||typeof s[0]!="string")return;let[t,i]=s,r=zs(i)?i:{},o=s.slice(zs(i)?2:1),a=xn.has(t)&&e<Rn&&(t!=="img"||En.test(Ae(r.src)??"")),l=a?document.createElement(
An[t]??t):n;a?Cn(l,t,r):n.append(`<${t}>`);for(let d of o)Ws(l,d,e+1);a&&n.append(l)}function Ln(n){for(let s of n.querySelectorAll("pre, .lines"))s.tabIndex=0,
s.tagName==="PRE"&&s.setAttribute("role","region"),s.tagName==="PRE"&&s.setAttribute("aria-label","Text block")}function j(n,s="body"){let e=document.createElement(
"div");e.className=s;for(let t of n??[])Ws(e,t,0);return Ln(e),e}var _n=24,Gs=new WeakMap;function Vs(n,s){let e=Gs.get(n);return e||(e=j(n.body),Zt(e),Xs(e,n.at,s,t=>Ys(t,n,s)),Gs.set(n,e)),Ys(e,n,s),e}function Ys(n,s,e){if(s.
calls.length===0)return;let t=n.querySelectorAll(":scope > .call");s.calls.forEach((i,r)=>{let o=t[r],a=i.resultAt===null?void 0:e.row(i.resultAt);if(!o||!a||o.
dataset.resultAt===String(a.at))return;o.dataset.resultAt=String(a.at),o.classList.toggle("is-failed",a.isError);let l=j(a.body,"result");o.querySelector(":scop\
e > summary")?.append(In(a,l)),Zt(l),Xs(l,a.at,e),o.append(l),On(o,l),Fn(a,l)&&o instanceof HTMLDetailsElement&&(o.open=!0)})}function On(n,s){if(!Qs(s))return;
let e=s.textContent??"";for(let t of n.querySelectorAll(":scope > .block")){let i=[...t.querySelectorAll(".diff-add, .diff-del")].map(r=>(r.textContent??"").slice(
1).trim());t.hidden=i.length>0&&i.every(r=>e.includes(r))}}function Zt(n){for(let s of n.querySelectorAll("pre")){let e=document.createElement("div");e.className=
"block";let t=document.createElement("button");t.className="copy-block",t.tabIndex=-1,t.setAttribute("aria-label","Copy this block"),t.onclick=()=>v(W(s.textContent??
"").then(()=>L("Block copied"))),s.replaceWith(e),e.append(s,t)}}function Xs(n,s,e,t=()=>{}){for(let i of n.querySelectorAll(".cut[data-left]")){let r=document.
createElement("button");r.textContent=`Show the rest (${P(Number(i.dataset.left))} bytes)`,r.onclick=()=>v(e.source.entry(e.key,s).then(o=>{n.replaceChildren(...j(
o.body).childNodes),Zt(n),t(n)})),i.append(" ",r)}}function Fn(n,s){return(Qs(s)||n.isError)&&Js(s).trim().split(`
`).length<=_n}function Qs(n){return n.querySelector(".diff-add, .diff-del")!==null}function In(n,s){let e=document.createElement("span");e.className="outcome";let t=document.
createElement("span");t.className=n.isError?"mark is-bad":"mark",t.textContent=n.isError?"failed":"ok";let i=n.particulars.find(r=>/^\+\d+ −\d+$/.test(r));return e.
append(t," ",i??qn(s)),e}function qn(n){let s=n.querySelectorAll(".lines > li"),t=(s.length>0?[...s].map(i=>i.textContent??""):Js(n).split(`
`)).filter(i=>i.trim()!=="");return t.length>1?`${w(t.length,"line")}: ${S(t[0]??"",60)}`:S(t[0]??"no output",100)}function Js(n){return[...n.children].filter(s=>s.
tagName!=="DETAILS").map(s=>s.textContent??"").join(`
`)}function Zs(n,s,e){for(let t of n.querySelectorAll("details"))(s.some(r=>(t.textContent??"").toLowerCase().includes(r))||e!==null&&t.dataset.resultAt===String(
e))&&(t.open=!0)}function ei(n){let s=j(n.body),e=[];for(let t of s.children)e.push(t.textContent??"");return e.join(`

`).trim()||n.summary}function ti(n){return[...j(n.body).querySelectorAll("pre")].filter(s=>!s.closest(".call, .thinking")).map(s=>s.textContent??"")}function Hn(n,s,e){let t=[];for(let i=s.indexOf(e);i>=0;i=s.indexOf(e,i+e.length)){let r=document.createRange();r.setStart(n,i),r.setEnd(n,i+e.length),t.push(r)}
return t}function si(n,s){if(!("highlights"in CSS))return;if(s.length===0){CSS.highlights.delete("find");return}let e=[],t=document.createTreeWalker(n,NodeFilter.
SHOW_TEXT);for(let i=t.nextNode();i&&e.length<500;i=t.nextNode()){let r=(i.nodeValue??"").toLowerCase();if(r.length===i.nodeValue?.length)for(let o of s)e.push(
...Hn(i,r,o))}CSS.highlights.set("find",new Highlight(...e))}var se=[{tab:"",name:"Conversation",key:"1"},{tab:"lanes",name:"Lanes",key:"2"},{tab:"tree",name:"Graph",key:"3"},{tab:"family",name:"Family",key:"4"},{tab:"con\
text",name:"Context",key:"5"},{tab:"request",name:"Requests",key:"6"}];function Qe(n){let s=n.replace(/^#/,"");if(s!==""&&!s.startsWith("/"))return{view:"sessio\
n",key:"",tab:"",parameters:new URLSearchParams,entry:ii(s)};let[e="",t=""]=s.split(/\?(.*)/s),[i,r,o]=e.split("/").filter(Boolean).map(ii),a=new URLSearchParams(
t),l=se.find(d=>d.tab===o)?.tab??"";return i==="session"&&r?{view:i,key:r,tab:l,parameters:a,entry:""}:i==="spend"||i==="stats"?{view:i,key:"",tab:"",parameters:a,
entry:""}:{view:"sessions",key:"",tab:"",parameters:a,entry:""}}function ii(n){try{return decodeURIComponent(n)}catch{return n}}function ni(n,s){let e=new URLSearchParams;
for(let[i,r]of Object.entries(s))r!=null&&r!==""&&e.set(i,String(r));let t=e.toString();return t?`#/${n}?${t}`:`#/${n}`}function T(n,s={}){return ni(n==="sessio\
ns"?"":n,s)}function A(n,s="",e={}){return ni(`session/${encodeURIComponent(n)}${s?`/${s}`:""}`,e)}function qe(n,s){let e=Object.fromEntries(n.parameters);return n.
view==="session"?A(n.key,n.tab,{...e,...s}):T(n.view,{...e,...s})}function _(n,s=!1){n===location.hash||n==="#/"&&location.hash===""||(s?history.replaceState(null,
"",n):history.pushState(null,"",n),window.dispatchEvent(new Event("route")))}function He(n){return n!==null&&/^\d+$/.test(n)?Number(n):null}function Ne({parameters:n}){
return n.has("id")?null:He(n.get("e"))}function es({parameters:n,entry:s}){let e=n.get("id")||n.get("e")||s;return Ne({parameters:n})===null?e:""}var Nn=4;function Dn(n,s,e){n.dispatchEvent(new CustomEvent("row-action",{detail:{action:s,at:e},bubbles:!0}))}function Je(n,s,e,t){return h`<button class="quiet" tabindex="-1" title=${e} aria-label=${e} @click=${r=>{
r.stopPropagation(),Dn(r.currentTarget,n,s)}}>${t}</button>`}function Un(n,s,e){let t=s.kind==="assistant"&&n.source.tabs.has("request");return h`<span class="row-tools">
    ${Je("copy",s.at,"Copy the message (y)","Copy")}
    ${Je("link",s.at,"Copy a link to this entry","Link")}
    ${n.source.canEdit?Je("label",s.at,"Set a label","Label"):u}
    ${t?Je("request",s.at,"Show the request for this reply","Request"):u}
    ${Je("fold",s.at,e.isFolded?"Unfold (o)":"Fold (o)",e.isFolded?"Unfold":"Fold")}
  </span>`}function Bn(n,s,e){return h`<header>
    <span class="who">${s.who||s.kind}</span>
    ${s.what?h`<code class="what">${S(s.what,80)}</code>`:u}
    ${s.label===null?u:h`<span class="chip is-label" title="Label">${s.label}</span>`}
    ${s.isError?h`<span class="chip is-error">error</span>`:u}
    <span class="particulars">${s.particulars.map(t=>h`<span>${t}</span>`)}</span>
    ${e.hasTools?Un(n,s,e):u}
    <a class="time" tabindex="-1" href=${A(n.key,"",{leaf:n.leaf,e:s.at})} title=${Ee(s.time)}>${qs(s.time)||`#${s.at}`}</a>
  </header>`}function jn(n,s){let e=n.facts?.family??[];if(e.length===0||n.depth>=Nn)return[];let t=new Set([s.at,...s.calls.map(({resultAt:i})=>i).filter(i=>i!==
null&&n.isMerged(i))]);return e.filter(i=>i.subagentOf===n.key&&typeof i.at=="number"&&t.has(i.at))}function wt(n,s,e){let t=["row",`is-${s.kind}`,e.isCursor?"i\
s-cursor":"",e.isFolded?"is-folded":"",s.isError?"is-failed":"",e.isHit?"is-hit":"",e.isAgain?"is-again":""],i=`${s.who||s.kind}${s.label===null?"":`, label ${s.
label}`}: ${S(s.summary,100)}`;return h`<article
    class=${t.filter(Boolean).join(" ")} data-index=${e.place} data-at=${s.at} tabindex=${e.isCursor?0:-1}
    aria-label=${i} aria-posinset=${e.place+1} aria-setsize=${n.path.length}
  >
    ${Bn(n,s,e)}
    ${e.isFolded?h`<p class="folded">${s.summary}</p>`:Vs(s,n)}
    ${jn(n,s).map(r=>h`<pt-subagent .source=${n.source} .member=${r} .depth=${n.depth+1}></pt-subagent>`)}
  </article>`}function ri(n,s){return h`<article class="row is-empty" data-index=${n} data-at=${s} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`}
function oi(n,s){return h`<article class="row is-${s.kind}" data-index=${n} data-at=${s.at} tabindex="-1"><header><span class="who">${s.who||s.kind}</span></header><p class="folded">${s.
summary}</p></article>`}function ai(n,s){return h`<div class="is-merged" data-index=${n} data-at=${s}></div>`}var Ze=class{constructor(s){this.heights=s,this.sums=new Float64Array(s.length+1);for(let e=1;e<=s.length;e+=1){this.sums[e]=(this.sums[e]??0)+(s[e-1]??0);let t=e+
(e&-e);t<=s.length&&(this.sums[t]=(this.sums[t]??0)+(this.sums[e]??0))}}get count(){return this.heights.length}get total(){return this.above(this.count)}height(s){
return this.heights[s]??0}above(s){let e=0;for(let t=Math.min(s,this.count);t>0;t-=t&-t)e+=this.sums[t]??0;return e}set(s,e){let t=e-this.height(s);this.heights[s]=
e;for(let i=s+1;i<=this.count;i+=i&-i)this.sums[i]=(this.sums[i]??0)+t}at(s){let e=0,t=s;for(let i=2**Math.floor(Math.log2(Math.max(1,this.count)));i>=1;i/=2){let r=this.
sums[e+i];e+i>this.count||r===void 0||r>t||(e+=i,t-=r)}return Math.max(0,Math.min(e,this.count-1))}};var li=100,hi=["wheel","touchstart","pointerdown","keydown"],Y=class{constructor(s,e){this.items=[];this.isFlying=!1;this.heights=new Ze(new Float64Array);this.
heightsOf=null;this.measured=new Map;this.watched=new Set;this.scroller=null;this.offset=0;this.height=innerHeight;this.shift=0;this.wanted=null;this.settling=null;
this.jumpedAt=-1/0;this.landing=0;this.scrollerSizes=new ResizeObserver(()=>this.resized());this.rowSizes=new ResizeObserver(s=>this.measure(s));this.letGo=()=>{
this.wanted=null};this.scrolled=()=>{let s=this.scroller?.scrollTop??0;if(s===this.offset)return;this.noteSpeed(s-this.offset);let e=this.range;this.offset=s;let t=this.
range;(e?.startIndex!==t?.startIndex||e?.endIndex!==t?.endIndex)&&this.host.requestUpdate()};this.host=s,this.options=e,this.now={count:0,scroller:"",estimate:()=>0},
s.addController(this)}get total(){return this.heights.total+(this.now.paddingStart??0)+(this.now.paddingEnd??0)}get range(){if(this.heights.count===0)return null;
let s=this.offset-(this.now.paddingStart??0);return{startIndex:this.heights.at(s),endIndex:this.heights.at(s+this.height-1)}}isKnown(s){return!this.now.measures||
this.measured.has(this.keyOf(s))}keyOf(s){return this.now.keyOf?.(s)??s}start(s){return this.heights.above(s)+(this.now.paddingStart??0)}hostConnected(){this.host.
requestUpdate()}hostDisconnected(){this.leave()}hostUpdate(){this.readOptions(),this.items=this.placed()}readOptions(){this.now=this.options();let{count:s,of:e=null,
estimate:t}=this.now;s===this.heights.count&&e===this.heightsOf||(this.heightsOf=e,this.heights=new Ze(Float64Array.from({length:s},(i,r)=>this.measured.get(this.
keyOf(r))??t(r))))}placed(){let{range:s}=this;if(!s)return[];let{overscan:e=8,keeps:t}=this.now,i=d=>({index:d,key:this.keyOf(d),start:this.start(d),size:this.heights.
height(d)}),r=Math.max(0,s.startIndex-e),o=Math.min(this.heights.count-1,s.endIndex+e),a=Array.from({length:o-r+1},(d,p)=>i(r+p)),l=t?.()??-1;return l>=0&&l<r&&
a.unshift(i(l)),l>o&&l<this.heights.count&&a.push(i(l)),a}hostUpdated(){let s=this.host.querySelector(this.now.scroller);s!==this.scroller&&this.enter(s),this.scroller&&
(this.now.measures&&this.watchRows(this.scroller),this.moveOn(this.scroller))}enter(s){if(this.leave(),this.scroller=s,!!s){s.addEventListener("scroll",this.scrolled,
{passive:!0});for(let e of hi)s.addEventListener(e,this.letGo,{passive:!0});this.scrollerSizes.observe(s)}}leave(){this.scroller?.removeEventListener("scroll",this.
scrolled);for(let s of hi)this.scroller?.removeEventListener(s,this.letGo);this.scrollerSizes.disconnect(),this.rowSizes.disconnect(),this.watched.clear(),clearTimeout(
this.landing),this.isFlying=!1,this.scroller=null,this.offset=0,this.shift=0}resized(){let s=this.scroller?.clientHeight??0;s!==this.height&&(this.height=s,this.
host.requestUpdate())}watchRows(s){let e=new Set(s.querySelectorAll(":scope > * > .slot:not(.is-passing)"));for(let t of this.watched)e.has(t)||(this.watched.delete(
t),this.rowSizes.unobserve(t));for(let t of e)this.watched.has(t)||(this.watched.add(t),this.rowSizes.observe(t))}measure(s){let e=this.wanted!==null;for(let{target:t,
borderBoxSize:i}of s){let r=Number(t.dataset.index);if(!this.watched.has(t)||!t.isConnected||!(r<this.heights.count))continue;let o=Math.round(i[0]?.blockSize??
0),a=this.heights.height(r),[l,d]=[this.start(r),!this.isKnown(r)];this.measured.set(this.keyOf(r),o),o!==a&&(e=!0,this.heights.set(r,o),(d?l<this.offset:l+a<=this.
offset)&&this.moveBy(o-a))}e&&this.host.requestUpdate()}moveBy(s){this.shift+=s,this.offset+=s}moveOn(s){this.wanted&&this.heights.count>0?this.goToWanted(s,this.
wanted):this.shift!==0&&(s.scrollTop=this.offset),this.shift=0}goToWanted(s,e){let t=this.offset,i=this.offsetFor(Math.min(e.place,this.heights.count-1),e.align);
(Math.abs(i-t)>=1||this.shift!==0)&&(s.scrollTop=i,this.offset=s.scrollTop),Math.abs(this.offset-t)>=1?this.host.requestUpdate():e.stays||this.settle(e)}settle(s){
if(this.settling===s)return;this.settling=s;let{offset:e,total:t}=this;requestAnimationFrame(()=>requestAnimationFrame(()=>{this.settling=null,this.wanted===s&&
(this.offset===e&&this.total===t&&this.isSeenKnown()?this.wanted=null:this.host.requestUpdate())}))}isSeenKnown(){let{startIndex:s,endIndex:e}=this.range??{startIndex:0,
endIndex:-1};for(let t=s;t<=e;t+=1)if(!this.isKnown(t))return!1;return!0}offsetFor(s,e){let[t,i]=[this.start(s),this.heights.height(s)],r=s===0?0:t,o=Math.max(0,
this.total-this.height),a=t+i+(this.now.paddingEnd??0)>=this.total?o:t+i-this.height,l=d=>Math.round(Math.max(0,Math.min(o,d)));switch(e){case"start":return l(r);case"\
end":return l(a);case"center":return l(t+i/2-this.height/2);case"auto":return r<this.offset?l(r):a>this.offset?l(a):this.offset}}scrollTo(s,e="auto"){this.go({place:s,
align:e,stays:!1})}scrollToEnd(){this.go({place:1/0,align:"end",stays:!0})}go(s){this.wanted=s,this.land(),this.host.requestUpdate()}noteSpeed(s){if(Math.abs(s)<=
this.height)return;let e=performance.now();e-this.jumpedAt<li&&(this.isFlying=!0,clearTimeout(this.landing),this.landing=window.setTimeout(()=>this.land(),li)),
this.jumpedAt=e}land(){clearTimeout(this.landing),this.jumpedAt=-1/0,this.isFlying&&(this.isFlying=!1,this.host.requestUpdate())}};var Kn=76,zn=60,Wn=150,kt=3e3,K=class extends x{constructor(){super(...arguments);this.cursor=-1;this.words=[];this.hits=new Set;this.version=0;this.isPrinting=
!1;this.pointed=-1;this.printedFrom=0;this.openedForPaper=[];this.flipped=new Set;this.foldsAll=!1;this.virtual=new Y(this,()=>({count:this.model.path.length,of:this.
model.path,scroller:".scroller",estimate:()=>Kn,measures:!0,overscan:6,paddingStart:8,paddingEnd:48,keyOf:e=>this.model.path[e]??e,keeps:()=>this.focused()}));this.
wantedAt=0;this.seen={first:-1,last:-1};this.pending=null;this.point=e=>{let t=e.target.closest(".slot > article");t&&(this.pointed=Number(t.dataset.at))}}get scroller(){
return this.querySelector(".scroller")}focused(){return this.cursor>=0&&this.contains(document.activeElement)?this.model.place(this.cursor):-1}updated(e){e.has(
"isPrinting")&&this.openForPaper(),e.has("words")&&this.words.length>0&&!this.pending&&this.revealAt(this.cursor),this.carryOut(),this.tellSeen(),si(this,this.words)}tellSeen(){
let e=this.virtual.range;e&&(this.wantRows(e.startIndex-10,e.endIndex+10),!(e.startIndex===this.seen.first&&e.endIndex===this.seen.last)&&(this.seen={first:e.startIndex,
last:e.endIndex},this.dispatchEvent(new CustomEvent("seen",{detail:this.seen}))))}wantRows(e,t){let i=performance.now();this.virtual.isFlying&&i-this.wantedAt<Wn||
(this.wantedAt=i,this.model.want(e,t))}get isAtEnd(){let e=this.scroller;return e!==null&&e.scrollHeight-e.scrollTop-e.clientHeight<zn}scrollToEnd(){this.virtual.
scrollToEnd()}show(e,t={}){let i=this.model.callerOf(e),r=this.model.nearest(i??e);if(r<0)return;let o=t.align??"center";this.virtual.scrollTo(r,o),this.pending=
{at:e,focus:t.focus??!1,align:o},this.requestUpdate()}scrollToPlace(e){this.virtual.scrollTo(Math.max(0,Math.min(this.model.path.length-1,e)),"start")}scrollByPage(e){
let t=this.scroller;this.virtual.letGo(),t?.scrollBy({top:e*(t.clientHeight-60)})}carryOut(){if(!this.pending)return;let{at:e,focus:t,align:i}=this.pending,r=this.
model.row(e),o=this.model.callerOf(e),a=this.rowElement(o??e);!r||!a||a.matches(".is-empty, .is-passing *")||(this.pending=null,this.revealAt(e),this.virtual.scrollTo(
this.model.place(o??e),o===null?i:"start"),t&&a.focus({preventScroll:!0}))}revealAt(e){let t=this.model.callerOf(e),i=this.rowElement(t??e);i&&(t!==null||this.words.
length>0)&&Zs(i,this.words,t===null?null:e)}rowElement(e){return this.querySelector(`.rows > .slot > [data-at="${e}"]`)}isFolded(e){let t=this.model.row(e)?.isFolded??
!1;return(this.foldsAll||t)!==this.flipped.has(e)&&!(this.isPrinting&&t&&!this.foldsAll)}fold(e){this.flipped.delete(e)||this.flipped.add(e),this.requestUpdate()}foldAll(e){
this.foldsAll=e,this.flipped.clear(),this.requestUpdate()}get isAllFolded(){return this.foldsAll}step(e,t){let i=this.model.nearest(e)+t;for(;i>=0&&i<this.model.
path.length;){let r=this.model.path[i];if(!this.model.isMerged(r))return r;i+=t}return null}firstSeen(){let e=this.scroller?.getBoundingClientRect().top??0;for(let t of this.
querySelectorAll(".rows > .slot > article"))if(t.getBoundingClientRect().top>=e-4)return Number(t.dataset.at);return this.model.path[0]??0}isAgain(e){let t=e-1;
for(;t>=0&&this.model.isMerged(this.model.path[t]);)t-=1;let i=r=>r===void 0?void 0:this.model.row(r)?.kind;return i(this.model.path[e])==="assistant"&&i(this.model.
path[t])==="assistant"}openForPaper(){if(this.isPrinting)this.openedForPaper.push(...this.querySelectorAll("details:not([open], .subagent)"));else for(let e of this.
openedForPaper.splice(0))e.open=!1;for(let e of this.openedForPaper)e.open=!0}passes(e){return this.virtual.isFlying&&e!==this.focused()}item(e){let t=this.model.
path[e],i=this.model.row(t);return i?this.model.isMerged(t)?ai(e,t):this.passes(e)?oi(e,i):wt(this.model,i,{place:e,isCursor:t===this.cursor,isFolded:this.isFolded(
t),isHit:this.hits.has(t),isAgain:this.isAgain(e),hasTools:t===this.cursor||t===this.pointed}):ri(e,t)}placed({index:e,start:t,size:i}){let r=this.passes(e),o={
transform:`translateY(${t}px)`,height:r?`${i}px`:""};return h`<div class=${r?"slot is-passing":"slot"} data-index=${e} style=${R(o)}>${this.item(e)}</div>`}render(){
if(this.isPrinting)return this.printed();let{items:e}=this.virtual,t=this.model.path.length===0;return h`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.
cursor<0?0:-1} @pointerover=${this.point}>
      ${t?h`<p class="empty">${this.model.filter==="all"?"This session has no entries.":"No entry of this branch passes the filter."}</p>`:u}
      <div class="rows" style=${R({height:`${this.virtual.total}px`})}>
        ${Ie(e,i=>i.key,i=>this.placed(i))}
      </div>
    </div>`}printed(){let{path:e}=this.model,t=[...e.subarray(this.printedFrom,this.printedFrom+kt)].map((o,a)=>this.printedFrom+a),i=t.filter(o=>!this.model.row(
e[o])).length,r=t.length<e.length;return h`<div class="rows is-printed">
      ${r?h`<p class="notice">Entries ${f(this.printedFrom+1)} to ${f(this.printedFrom+t.length)} of ${f(e.length)} on this branch. The others are not printed here: put the cursor on a message and choose “Print from this message on”.</p>`:
u}
      ${i>0?h`<p class="notice">${w(i,"entry was","entries were")} not loaded and ${i===1?"is":"are"} missing. Print with the page’s own button, or Ctrl+P, to have them all.</p>`:
u}
      ${t.map(o=>this.model.row(e[o])?this.item(o):u)}</div>`}};c([y({attribute:!1})],K.prototype,"model",2),c([y({attribute:!1})],K.prototype,"cursor",2),c([y(
{attribute:!1})],K.prototype,"words",2),c([y({attribute:!1})],K.prototype,"hits",2),c([y({attribute:!1})],K.prototype,"version",2),c([m()],K.prototype,"isPrinti\
ng",2),c([m()],K.prototype,"pointed",2),K=c([k("pt-conversation")],K);var ci=.05,Gn=6,Yn=.7,De=class extends x{constructor(){super(...arguments);this.offsetX=0;this.offsetY=0;this.scale=1;this.pointers=new Map;this.moved=0;this.fittedTo=
"";this.wheeled=e=>{e.preventDefault();let t=this.frame;e.ctrlKey||e.metaKey||!e.shiftKey?this.zoom(Math.exp(-e.deltaY/500),e.clientX-t.left,e.clientY-t.top):this.
pan(-e.deltaY,0)};this.grabbed=e=>{this.pointers.set(e.pointerId,{x:e.clientX,y:e.clientY}),this.moved=0};this.dragged=e=>{let t=this.pointers.get(e.pointerId);
if(!t)return;let i=[...this.pointers].filter(([a])=>a!==e.pointerId),r={x:e.clientX,y:e.clientY};this.pointers.set(e.pointerId,r),this.moved+=Math.abs(r.x-t.x)+
Math.abs(r.y-t.y);let o=i[0]?.[1];if(o){let[a,l]=[Math.hypot(t.x-o.x,t.y-o.y),Math.hypot(r.x-o.x,r.y-o.y)],d=this.frame;this.zoom(l/Math.max(1,a),(r.x+o.x)/2-d.
left,(r.y+o.y)/2-d.top)}else this.pan(r.x-t.x,r.y-t.y)};this.released=e=>{this.pointers.delete(e.pointerId)};this.clicked=e=>{this.moved>6&&e.preventDefault()};
this.pressed=e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;let i={"+":()=>this.zoom(1.25),"=":()=>this.zoom(1.25),"-":()=>this.zoom(.8),0:()=>this.fit(!0),ArrowLeft:()=>this.
pan(60,0),ArrowRight:()=>this.pan(-60,0),ArrowUp:()=>this.pan(0,60),ArrowDown:()=>this.pan(0,-60)}[e.key];i&&(e.preventDefault(),e.stopPropagation(),i())};this.
focused=e=>{let t=e.target;if(!t.matches("a"))return;let i=t.getBoundingClientRect(),r=this.frame;(i.left<r.left||i.right>r.right)&&this.pan(r.left+r.width/2-(i.
left+i.right)/2,0),(i.top<r.top||i.bottom>r.bottom)&&this.pan(0,r.top+r.height/2-(i.top+i.bottom)/2)}}legend(){return h``}updated(e){let{width:t,height:i}=this.
size,r=`${t} ${i}`;t>0&&r!==this.fittedTo&&(this.fittedTo=r,this.fit())}get frame(){return this.querySelector("svg.canvas")?.getBoundingClientRect()??new DOMRect(
0,0,1,1)}fit(e=!1){let{width:t,height:i}=this.size,r=this.frame,o=Math.min(r.width/t,r.height/i)*.96;this.scale=Math.max(e?ci:Yn,Math.min(1.25,o)),this.offsetX=
Math.max(16,(r.width-t*this.scale)/2),this.offsetY=Math.max(16,(r.height-i*this.scale)/2),this.place()}place(){this.querySelector("svg.canvas > g")?.setAttribute(
"transform",`translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`)}zoom(e,t=this.frame.width/2,i=this.frame.height/2){let r=Math.max(ci,Math.min(Gn,
this.scale*e));this.offsetX=t-(t-this.offsetX)*r/this.scale,this.offsetY=i-(i-this.offsetY)*r/this.scale,this.scale=r,this.place()}pan(e,t){this.offsetX+=e,this.
offsetY+=t,this.place()}render(){return h`<div class="graph" @keydown=${this.pressed}>
      <div class="graph-bar">
        <button class="quiet" aria-label="Zoom in" title="Zoom in (+)" @click=${()=>this.zoom(1.25)}>+</button>
        <button class="quiet" aria-label="Zoom out" title="Zoom out (−)" @click=${()=>this.zoom(.8)}>−</button>
        <button class="quiet" title="Show all of it (0)" @click=${()=>this.fit(!0)}>Fit</button>
        ${this.legend()}
      </div>
      <svg class="canvas" role="group" aria-label=${this.name} @wheel=${this.wheeled} @pointerdown=${this.grabbed} @pointermove=${this.dragged}
        @pointerup=${this.released} @pointercancel=${this.released} @pointerleave=${this.released} @click=${this.clicked} @focusin=${this.focused}>
        <g>${O`${this.drawing()}`}</g>
      </svg>
      <details class="in-words"><summary>${this.name} in words</summary>${this.inWords()}</details>
    </div>`}};var et=230,tt=44,ts=60,Vn=16;function di(n){return`${n.subagentOf?"at":"after"} ${he(n.at??0)}`}var Re=class extends De{constructor(){super(...arguments);this.version=
0;this.whole=null;this.loadedAs="";this.laidOut=null}willUpdate(e){let t=`${this.model.key} ${this.model.facts?.entries}`;!this.model.facts||t===this.loadedAs||
(this.loadedAs=t,v(this.model.source.family(this.model.key).then(i=>{t===this.loadedAs&&(this.whole=i)})))}get members(){return this.whole??this.model.facts?.family??
[]}get placed(){let e=this.members;return this.laidOut?.members!==e&&(this.laidOut={members:e,placed:this.layOut(e)}),this.laidOut.placed}layOut(e){let t=new Map;
for(let d of e)d.parentKey!==null&&(t.get(d.parentKey)??t.set(d.parentKey,[]).get(d.parentKey))?.push(d);let i=new Set(e.map(d=>d.key)),r=e.filter(d=>d.parentKey===
null||!i.has(d.parentKey)),o=new Map,a=0,l=(d,p)=>{if(o.has(d.key))return;o.set(d.key,{member:d,depth:p,x:16+p*(et+ts),y:16+a*(tt+Vn)}),(t.get(d.key)??[]).forEach(
(b,$)=>{$>0&&(a+=1),l(b,p+1)})};for(let d of[...r,...e])o.has(d.key)||(l(d,0),a+=1);return o}get name(){return`Family of ${this.members.length} ${this.members.length===
1?"session":"sessions"}`}get size(){let e=[...this.placed.values()];return{width:Math.max(0,...e.map(({x:t})=>t+et+16)),height:Math.max(0,...e.map(({y:t})=>t+tt+
16))}}link(e){return A(e.key)}start(e){return e.parentKey===null||e.at===null||e.at===void 0?null:A(e.parentKey,"",{e:e.at})}kind(e){return e.subagentOf?"sub-ag\
ent":e.parentKey?"fork":"first session"}box({member:e,x:t,y:i}){let r=this.start(e),o=`${e.isSelf?"this session, ":""}${this.kind(e)}`;return O`<g><a href=${this.
link(e)} class=${`family-box ${e.isSelf?"is-self":""} ${e.subagentOf?"is-subagent":""}`}>
      <title>${e.title}</title>
      <rect x=${t} y=${i} width=${et} height=${tt} rx="6"></rect>
      <text x=${t+12} y=${i+19}>${S(e.title,27)}</text>
      <text class="small" x=${t+12} y=${i+35}>${o}</text>
    </a>${r===null?u:O`<a href=${r} class="family-start"><title>${`Where ${e.title} began`}</title>
      <text class="small" text-anchor="end" x=${t+et-12} y=${i+35}>${di(e)}</text></a>`}</g>`}drawing(){let e=this.placed,t=[...e.values()].map(({member:i,x:r,y:o})=>{
let a=i.parentKey===null?void 0:e.get(i.parentKey);if(!a)return O``;let[l,d,p]=[a.x+et,a.y+tt/2,o+tt/2];return O`<path class=${i.subagentOf?"family-line is-suba\
gent":"family-line"} d=${`M${l} ${d} C${l+ts/2} ${d}, ${r-ts/2} ${p}, ${r} ${p}`}></path>`});return O`${t}${[...e.values()].map(i=>this.box(i))}`}inWords(){let e=this.
placed;return h`<ul>${[...e.values()].map(({member:t})=>{let i=this.start(t);return h`<li><a href=${this.link(t)}>${t.title}</a> ${t.isSelf?"(this session)":""} ${this.
kind(t)}${t.parentKey?` of ${e.get(t.parentKey)?.member.title??"a session that is not here"}`:""}
        ${i===null?u:h`<a href=${i}>${di(t)}</a>`}</li>`})}</ul>`}};c([y({attribute:!1})],Re.prototype,"model",2),c([y({attribute:!1})],Re.prototype,"version",2),
c([m()],Re.prototype,"whole",2),Re=c([k("pt-family")],Re);var Xn=250,D=class extends x{constructor(){super(...arguments);this.query="";this.cursor=-1;this.text="";this.ats=[];this.total="0";this.current=-1;this.isBusy=
!1;this.share=0;this.hasEntry=!1;this.asked="";this.askSoon=z(160,()=>v(this.ask(this.text,!0)));this.typed=e=>{this.text=e.target.value,this.askSoon()};this.pressed=
e=>{if(e.key==="Enter")this.step(e.shiftKey?-1:1);else if(e.key==="Escape")e.target.blur(),this.dispatchEvent(new Event("close-find"));else return;e.preventDefault(),
e.stopPropagation()}}focusField(){let e=this.querySelector("input");e?.focus(),e?.select()}willUpdate(e){!e.has("query")||this.query===this.asked||(this.text=this.
query,v(this.ask(this.query,!this.hasEntry)))}async ask(e,t){this.asked=e,this.isBusy=e!=="",this.share=0,this.current=-1,this.ats=[];let i=performance.now(),r=e===
""?{total:0,isAll:!0,words:[],hits:[]}:await this.model.source.find(this.model.key,e,(o,a)=>{if(this.asked!==e||!this.isConnected)return!1;let l=performance.now();
return l-i<Xn&&(this.ats.length>0||o.total===0)||(i=l,this.share=a,o.total>0&&this.take(e,o,t)),!0});this.asked!==e||!this.isConnected||(this.isBusy=!1,this.take(
e,r,t),le(e===""?"":r.isAll?w(r.total,"match","matches"):`More than ${w(r.total,"match","matches")}`))}take(e,t,i){let r=this.ats.length===0;this.ats=t.hits.map(
o=>o.at).sort((o,a)=>o-a),this.total=`${f(t.total)}${t.isAll?"":"+"}`,this.dispatchEvent(new CustomEvent("found",{detail:{query:e,words:t.words.map(o=>o.toLowerCase()),
hits:new Set(this.ats)}})),i&&r&&this.step(1,!0)}step(e,t=!1){if(this.ats.length===0)return;let i=this.current>=0?this.ats[this.current]??-1:t?this.cursor-1:this.
cursor,r=e===1?this.ats.findIndex(o=>o>i):this.ats.findLastIndex(o=>o<i);r<0&&(r=e===1?0:this.ats.length-1),this.current=r,le(`Match ${r+1} of ${this.total}`),this.
dispatchEvent(new CustomEvent("find-at",{detail:this.ats[r]??0}))}status(){if(this.isBusy&&this.ats.length===0)return this.share>0?`${Math.round(100*this.share)}\
%\u2026`:"\u2026";if(this.asked==="")return"";if(this.ats.length===0)return"no match";let e=this.current>=0?this.current:this.ats.indexOf(this.cursor);return e>=
0?`${f(e+1)} of ${this.total}`:`${this.total} ${this.total==="1"?"match":"matches"}`}render(){return h`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${this.typed} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${()=>this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${()=>this.step(1)}>↓</button>
      ${this.asked===""?u:h`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${()=>this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`}};c([y({attribute:!1})],D.prototype,"model",2),c([y({attribute:!1})],D.prototype,"query",2),c([y({attribute:!1})],D.prototype,"cursor",2),c([m()],D.
prototype,"text",2),c([m()],D.prototype,"ats",2),c([m()],D.prototype,"total",2),c([m()],D.prototype,"current",2),c([m()],D.prototype,"isBusy",2),c([m()],D.prototype,
"share",2),c([y({attribute:!1})],D.prototype,"hasEntry",2),D=c([k("pt-find")],D);var xt=["all","no-tools","user","labeled"];var ue=50;function ui(n){let s=xt.find(e=>e===n.parameters.get("filter"))??"all";return{leaf:He(n.parameters.get("leaf")),filter:s,at:Ne(n),count:ue}}var pi=4e3,Qn=3e3,Ue=class{constructor(s,e,t=0){this.facts=null;this.marks=[];this.leaf=null;this.filter="all";this.path=new Int32Array;this.failure=null;this.changed=
()=>{};this.kept=new Map;this.callers=new Map;this.loading=new Set;this.lanePaths=new Map;this.loaded=new Set;this.generation=0;this.opened=!1;this.isPainted=!1;
this.source=s,this.key=e,this.depth=t}async open(s,e,t=null){let i=++this.generation;if(this.facts){let d=await this.source.path(this.key,s??this.facts.leaf,e);
i===this.generation&&this.show(s??this.facts.leaf,e,d);return}let{facts:r,path:o,from:a,rows:l}=await this.source.opening(this.key,{leaf:s,filter:e,at:t,count:ue});
i===this.generation&&(this.facts=r,this.show(s??r.leaf,e,o),this.keep(l),l.length>0&&this.loaded.add(Math.floor(a/ue)))}async readMarks(){this.marks.length>0||(await Qt(),
this.marks=await this.source.marks(this.key),this.changed())}show(s,e,t){this.opened=!0,this.leaf=s,this.filter=e,this.path=t,this.loaded=new Set,this.loading.clear(),
this.changed()}async refresh(){let{facts:s,path:e}=this,t=await this.source.session(this.key),r=this.leaf===s?.leaf?t.leaf:this.leaf,[o,a]=await Promise.all([this.
source.path(this.key,r,this.filter),this.source.marks(this.key)]);if(this.path!==e)return this.refresh();let l=o.length-e.length;return this.facts=t,this.marks=
a,this.lanePaths.clear(),this.show(r,this.filter,o),l}get isOpen(){return this.opened}get hasRows(){return this.isPainted||this.path.length===0||this.failure!==
null}row(s){return this.kept.get(s)}isMerged(s){return this.callerOf(s)!==null}callerOf(s){let e=this.callers.get(s);return e!==void 0&&this.place(e)>=0?e:null}want(s,e){
for(let t=Math.max(0,Math.floor((s-8)/ue));t*ue<=Math.min(e,this.path.length-1);t+=1)!this.loaded.has(t)&&!this.loading.has(t)&&this.fetchChunk(t)}async fetchChunk(s){
let e=this.generation,t=this.path;this.loading.add(s);try{this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:s*ue,count:ue})),this.
failure=null}catch(i){this.failure===null&&L(C(i)),this.failure=i}e!==this.generation||t!==this.path||(this.failure===null?this.loaded.add(s):await new Promise(
i=>setTimeout(i,Qn)),this.loading.delete(s),this.changed())}keep(s){this.kept.size===0&&s.length>0&&Qt().then(()=>{this.isPainted=!0,this.changed()});for(let e of s){
let t=Jn(this.kept.get(e.at),e);this.kept.delete(t.at),this.kept.set(t.at,t);for(let i of t.calls)i.resultAt!==null&&this.callers.set(i.resultAt,t.at)}if(!(this.
kept.size<=pi)){for(let e of this.kept.keys()){if(this.kept.size<=pi/2)break;this.kept.delete(e)}this.loaded.clear()}}async loadAll(s,e){let t=Math.min(s+e,this.
path.length);for(let i=s;i<t;i+=200)this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:i,count:Math.min(200,t-i)}))}place(s){return ie(
this.path,s)}nearest(s){let e=this.place(s);return e>=0||this.path.length===0?e:Math.min(this.path.length-1,Math.max(0,fi(this.path,s)-1))}link(s,e="",t=this.leaf){
return A(this.key,e,{leaf:t===(this.facts?.leaf??null)?null:t,e:s})}get laneCount(){return this.facts?.laneCount??this.facts?.lanes.length??0}async lanes(s){let e=[
...this.facts?.lanes??[]];for(;e.length<Math.min(s,this.laneCount);){let t=await this.source.lanes(this.key,e.length,200);if(t.length===0)break;e.push(...t)}return e.
slice(0,s)}lanePath(s){let e=this.lanePaths.get(s.leaf)??this.source.path(this.key,s.leaf,"all");return this.lanePaths.set(s.leaf,e),e}async leafFor(s){return this.
place(s)>=0?this.leaf:this.source.leafOf(this.key,s)}nextMark(s,e,t){let i=this.marks.filter(o=>o.kind===s&&this.place(o.at)>=0).map(o=>o.at);return(t===1?i.find(
o=>o>e):i.findLast(o=>o<e))??null}};function Jn(n,s){return!n||JSON.stringify(n.body)!==JSON.stringify(s.body)?s:Object.assign(n,s,{body:n.body})}function fi(n,s){
let e=0,t=n.length;for(;e<t;){let i=e+t>>1;(n[i]??0)<s?e=i+1:t=i}return e}function ie(n,s){let e=fi(n,s);return n[e]===s?e:Zn(n)?-1:n.indexOf(s)}var mi=new WeakMap;
function Zn(n){let s=mi.get(n);return s===void 0&&(s=n.every((e,t)=>t===0||(n[t-1]??0)<e),mi.set(n,s)),s}var gi=46,yi=24,er=350,St=120,is=3e3,vi=150,pe=class extends De{constructor(){super(...arguments);this.version=0;this.drawn=[];this.wanted=St;this.stops=[];this.
xs=[];this.loadedAs=""}willUpdate(e){let{facts:t,marks:i}=this.model;e.has("model")&&(this.wanted=St);let r=`${this.model.key} ${t?.entries} ${i.length} ${this.
wanted}`;!t||r===this.loadedAs||(this.loadedAs=r,v(this.load(this.wanted)))}async load(e){let t=await this.model.lanes(e),i=await Promise.all(t.map(a=>this.model.
lanePath(a))),r=this.shownMarks().slice(0,is),o=new Set;this.drawn=t.map((a,l)=>{let d=i[l],p=l===0?0:tr(d,i.slice(0,l)),g=r.filter(b=>!o.has(b.at)&&ie(d,b.at)>=
p);for(let b of g)o.add(b.at);return{lane:a,path:d,own:p,parent:p===0?-1:i.findIndex(b=>ie(b,d[p-1])>=0),y:30+l*gi,marks:g}}),this.scaleX()}shownMarks(){let e=this.
model.marks.filter(t=>t.kind==="user").length;return this.model.marks.filter(t=>t.kind!=="branch"&&(t.kind!=="user"||e<=vi))}left(){let e=this.model.marks.filter(
r=>r.kind==="user").length,t=this.shownMarks().length;return[e>vi?`${w(e,"user message")} not drawn`:"",t>is?`${w(t-is,"further dot")} not drawn`:""].filter(Boolean).
join(", ")}scaleX(){let e=new Set([0]);for(let{path:i,own:r,marks:o}of this.drawn){e.add(r).add(Math.max(0,r-1)).add(i.length-1);for(let a of o)e.add(ie(i,a.at))}
this.stops=[...e].sort((i,r)=>i-r);let t=yi;this.xs=this.stops.map((i,r)=>t+=r===0?0:10+9*Math.log2(i-(this.stops[r-1]??0)))}x(e){let t=0,i=this.stops.length-1;
for(;t<i;){let r=t+i>>1;(this.stops[r]??0)<e?t=r+1:i=r}return this.xs[t]??yi}get name(){return`Tree with ${f(this.drawn.length)} branches`}get size(){return{width:this.
drawn.length===0?0:(this.xs.at(-1)??0)+er,height:60+this.drawn.length*gi}}link(e,t){return this.model.link(t,"",e.lane.leaf)}line(e){let{lane:t,path:i,own:r,parent:o,
y:a}=e,l=this.x(Math.max(0,r)),d=this.x(i.length-1),p=this.drawn[o],g=p?`M${this.x(r-1)} ${p.y} C${this.x(r-1)+12} ${a}, ${this.x(r-1)} ${a}, ${Math.max(l,this.
x(r-1)+14)} ${a}`:`M${l} ${a}`,b=S(Oe(t),52);return O`<g class=${`branch-line ${t.isActive?"is-active":""} ${t.leaf===this.model.leaf?"is-shown":""}`}>
      <path d=${`${g} L${d} ${a}`}></path>
      <a href=${this.link(e,t.isActive?t.leaf:t.from??t.leaf)}>
        <circle class="leaf" cx=${d} cy=${a} r="6"></circle>
        <text x=${d+14} y=${a-2}>${b}</text>
        <text class="small" x=${d+14} y=${a+13}>${`${t.isActive?"current, ":""}${f(i.length-r)} entries`}</text>
      </a>
      ${e.marks.map($=>this.dot(e,$))}${this.labels(e)}
    </g>`}dot(e,t){let i=this.x(ie(e.path,t.at)),r=`${t.kind}: ${S(t.text??he(t.at),80)}`;return O`<a href=${this.link(e,t.at)} aria-label=${r} tabindex=${t.kind===
"user"?-1:0}><title>${r}</title>
      <circle class=${`mark is-${t.kind}`} cx=${i} cy=${e.y} r=${t.kind==="user"?3:4.5}></circle></a>`}labels(e){let t=-1/0;return e.marks.filter(({kind:i})=>i===
"label").map(i=>{let r=this.x(ie(e.path,i.at))-4,o=S(i.text??"",20);return r<t?O``:(t=r+o.length*6.2+8,O`<text class="small is-label" aria-hidden="true" x=${r} y=${e.
y-10}>${o}</text>`)})}drawing(){return O`${[...this.drawn].reverse().map(e=>this.line(e))}`}legend(){let e=["user","label","compaction","error"],t=this.model.laneCount-
this.drawn.length,i=this.left();return h`<span class="legend">${e.map(r=>h`<span class=${`key is-${r}`}>${r==="user"?"user message":r}</span>`)}</span>
      ${t>0&&this.drawn.length>0?h`<span class="more-lanes">${w(this.drawn.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.
wanted+=St}>Show ${f(Math.min(St,t))} more</button></span>`:u}
      ${i?h`<span class="muted">${i}</span>`:u}`}inWords(){return h`<ul>${this.drawn.map(e=>h`<li>
      <a href=${this.link(e,e.lane.leaf)}>${Oe(e.lane)}</a>${e.lane.isActive?" (current)":` (abandoned, forked after ${he(e.path[e.own-1]??0)})`}: ${f(e.path.length)} entries.
      ${e.marks.filter(t=>t.kind!=="user").slice(0,40).map(t=>h`<a href=${this.link(e,t.at)}>${t.kind} at ${he(t.at)}${t.text?`: ${S(t.text,60)}`:""}</a> `)}
    </li>`)}</ul>`}};c([y({attribute:!1})],pe.prototype,"model",2),c([y({attribute:!1})],pe.prototype,"version",2),c([m()],pe.prototype,"drawn",2),c([m()],pe.prototype,
"wanted",2),pe=c([k("pt-graph")],pe);function tr(n,s){let e=0;for(let t of s){let[i,r]=[e,Math.min(n.length,t.length)];for(;i<r;){let o=i+r>>1;n[o]===t[o]?i=o+1:
r=o}e=Math.max(e,i)}return e}var sr=26,st=60,Et=40,me=class extends x{constructor(){super(...arguments);this.version=0;this.lanes=[];this.wanted=Et;this.virtual=new Y(this,()=>({count:Math.
max(0,...this.lanes.map(({path:e})=>e.length)),scroller:".lanes-scroller",estimate:()=>sr}));this.loadedAs=""}willUpdate(e){let t=this.model.facts;e.has("model")&&
(this.wanted=Et);let i=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.wanted}`;t&&i!==this.loadedAs&&(this.loadedAs=i,v(this.load(this.wanted)))}async load(e){
let t=await this.model.lanes(e);this.lanes=await Promise.all(t.map(async i=>{let r=await this.model.lanePath(i),o=this.lanes.find(l=>l.lane.leaf===i.leaf&&l.path===
r),a=i.from===null?r.length:Math.max(0,ie(r,i.from));return o??{lane:i,path:r,own:a,rows:new Map,asked:new Set}}))}updated(){let e=this.virtual.range;if(e)for(let t of this.
lanes)for(let i=Math.floor(e.startIndex/st);i<=Math.floor(e.endIndex/st);i+=1)v(this.fetch(t,i))}async fetch(e,t){if(e.asked.has(t)||t*st>=e.path.length)return;
e.asked.add(t);let i={leaf:e.lane.leaf,filter:"all",from:t*st,count:st,brief:!0};for(let r of await this.model.source.rows(this.model.key,i))e.rows.set(r.at,r);
this.requestUpdate()}toFork(e){this.virtual.scrollTo(Math.max(0,e.own-3),"start")}heading(e){let{lane:t,path:i,own:r}=e,o=t.leaf===this.model.leaf;return h`<section class=${t.
isActive?"lane-head is-active":"lane-head"} aria-label=${Oe(t)}>
      <h2><a href=${this.model.link(t.isActive?t.leaf:t.from??t.leaf,"",t.leaf)} aria-current=${o?"true":u}>${S(Oe(t),90)}</a></h2>
      <p class="muted">${t.isActive?h`<span class="chip is-current">current</span>`:h`<span class="chip">abandoned</span>`}
        ${f(i.length)} entries, ${f(i.length-r)} its own · ${ce(t.lastTime)}</p>
      ${t.summary?h`<p class="lane-summary" title=${t.summary}>${S(t.summary,180)}</p>`:u}
      ${r>0&&r<i.length?h`<button class="quiet" @click=${()=>this.toFork(e)}>Go to the fork (after ${he(i[r-1]??0)})</button>`:u}
    </section>`}cell(e,t){let i=e.path[t];if(i===void 0)return h`<div class="lane-cell is-none"></div>`;let r=e.rows.get(i),o=t>=e.own||e.lane.isActive,a=["lane\
-cell",`is-${r?.kind??"empty"}`,o?"":"is-shared",t===e.own&&t>0?"is-fork":"",r?.isError?"is-failed":""],l=this.model.link(i,"",e.lane.leaf);return h`<a class=${a.
filter(Boolean).join(" ")} href=${l} tabindex=${o?0:-1}>
      <span class="dot" aria-hidden="true"></span>${r?.label?h`<span class="chip is-label">${r.label}</span>`:u}<span class="tree-text">${r?S(r.summary,120)||r.
who:"\u2026"}</span></a>`}render(){let e=this.virtual.items,t=e[0]?.start??0,i=this.model.laneCount-this.lanes.length;return h`${i>0&&this.lanes.length>0?h`<p class="more-lanes">${w(
this.lanes.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.wanted+=Et}>Show ${f(Math.min(Et,i))} more</button></p>`:u}
    <div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${R({"--lanes":String(Math.max(1,this.lanes.length))})}>
        <div class="lane-heads">${this.lanes.map(r=>this.heading(r))}</div>
        <div class="lane-rows" style=${R({height:`${this.virtual.total}px`})}>
          <div class="lane-window" style=${R({transform:`translateY(${t}px)`})}>
            ${e.map(r=>h`<div class="lane-row">${this.lanes.map(o=>this.cell(o,r.index))}</div>`)}
          </div>
        </div>
      </div>
    </div>`}};c([y({attribute:!1})],me.prototype,"model",2),c([y({attribute:!1})],me.prototype,"version",2),c([m()],me.prototype,"lanes",2),c([m()],me.prototype,
"wanted",2),me=c([k("pt-lanes")],me);var ir={user:{from:.1,to:.45,color:"--user",height:2},branch:{from:.5,to:.62,color:"--branch",height:3},label:{from:.62,to:.78,color:"--label",height:3},compaction:{
from:0,to:1,color:"--compaction",height:2},error:{from:.8,to:1,color:"--error",height:3}},fe=class extends x{constructor(){super(...arguments);this.version=0;this.
seen={first:0,last:0};this.hits=new Set;this.marksDrawn=[];this.size={width:0,height:0};this.observer=new ResizeObserver(([e])=>{e&&(this.size={width:e.contentRect.
width,height:e.contentRect.height}),this.redraw()});this.scheme=matchMedia("(prefers-color-scheme: dark)");this.redraw=()=>{this.marksDrawn=[],this.requestUpdate()};
this.dragged=e=>{if(e.buttons!==1)return;let t=this.getBoundingClientRect(),i=this.seen.last-this.seen.first;this.go(Math.round((e.clientY-t.top)/t.height*this.
model.path.length-i/2))};this.grabbed=e=>{e.currentTarget.setPointerCapture(e.pointerId),this.dragged(e)};this.pressed=e=>{let t=Math.max(1,Math.round(this.model.
path.length/20)),r={ArrowDown:1,ArrowUp:-1,PageDown:t,PageUp:-t,Home:-1/0,End:1/0}[e.key];r!==void 0&&(e.preventDefault(),e.stopPropagation(),this.go(Math.max(0,
Math.min(this.model.path.length-1,this.seen.first+r))))}}connectedCallback(){super.connectedCallback(),this.observer.observe(this),this.scheme.addEventListener(
"change",this.redraw),window.addEventListener("theme",this.redraw)}disconnectedCallback(){super.disconnectedCallback(),this.observer.disconnect(),this.scheme.removeEventListener(
"change",this.redraw),window.removeEventListener("theme",this.redraw)}updated(){this.drawMarks(),this.drawWindow()}drawMarks(){let{path:e,marks:t}=this.model,{width:i,
height:r}=this.size,o=[e,t,this.hits,r,i],a=this.querySelector("canvas"),l=a?.getContext("2d");if(o.every((E,M)=>E===this.marksDrawn[M])||!a||!l)return;this.marksDrawn=
o;let d=window.devicePixelRatio;a.width=i*d,a.height=r*d,l.setTransform(d,0,0,d,0,0);let p=new Map,g=E=>{let M=p.get(E);return M!==void 0?M:(a.style.color=`var(${E}\
)`,p.set(E,getComputedStyle(a).color),p.get(E)??"")},b=r/Math.max(1,this.model.path.length),$=(E,M,ge=6)=>{let je=this.model.place(E);je<0||(l.fillStyle=g(M.color),
l.fillRect(M.from*i,je*b,(M.to-M.from)*i,Math.max(M.height,Math.min(b,ge))))};for(let E of this.model.marks)$(E.at,ir[E.kind]);for(let E of this.hits)$(E,{from:0,
to:1,color:"--hit-strong",height:1.5},1.5)}drawWindow(){let e=this.querySelector(".window");if(!e)return;let t=this.size.height/Math.max(1,this.model.path.length);
e.style.top=`${this.seen.first*t}px`,e.style.height=`${Math.max(6,(this.seen.last-this.seen.first+1)*t)}px`}go(e){this.dispatchEvent(new CustomEvent("go-place",
{detail:e}))}render(){let e=this.model.path.length,t=Math.max(0,this.seen.first)+1;return h`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1,
e)}
      aria-valuenow=${t} aria-valuetext="Entry ${f(t)} of ${f(e)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`}};c([y({attribute:!1})],fe.prototype,"model",2),c([y({attribute:!1})],fe.prototype,"v\
ersion",2),c([y({attribute:!1})],fe.prototype,"seen",2),c([y({attribute:!1})],fe.prototype,"hits",2),fe=c([k("pt-minimap")],fe);var ns=50,nr=400,V=class extends x{constructor(){super(...arguments);this.at=null;this.facts=null;this.reply=null;this.next=null;this.failure="";this.loadedAs=""}willUpdate(e){
let t=`${this.model.key} ${this.model.leaf} ${this.at}`;t===this.loadedAs||this.model.path.length===0||(this.loadedAs=t,v(this.load()))}async load(){let e=this.
at===null?this.model.path.length-1:this.model.nearest(this.at),t=await this.find(e,-1)??await this.find(e,1);if(this.reply=t,!t){this.failure="There is no reply\
 on this branch.";return}this.facts=null;try{this.facts=await this.model.source.request(this.model.key,t.at),this.failure=""}catch(i){this.failure=C(i)}this.next=
(await this.find(this.model.place(t.at)+1,1))?.at??null}async find(e,t){for(let i=e;i>=0&&i<this.model.path.length;i+=t*ns){let r=t===1?i:Math.max(0,i-ns+1),o=t===
1?ns:i-r+1,a=await this.model.source.rows(this.model.key,{leaf:this.model.leaf,filter:this.model.filter,from:r,count:o,brief:!0}),l=t===1?a.find(bi):a.findLast(
bi);if(l)return l}return null}step(e,t){return t===null?h`<span class="button is-disabled">${e}</span>`:h`<a class="button" href=${this.model.link(t,"request")}>${e}</a>`}cacheBreak(e){
if(e.previous===null)return h`<p class="notice">This is the first request, so nothing was cached before it.</p>`;if(!e.cacheBreak)return h`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;
let{path:t,what:i,body:r,cause:o}=e.cacheBreak;return h`<div class="notice is-bad"><p>The cached prefix broke${o?` after a ${o}`:""}: ${i} (<code>${t}</code>)</p>${j(
r)}</div>`}window({total:e,from:t,shown:i}){if(e===void 0||t===void 0||i===void 0||i>=e)return u;let r=t+i;return this.model.source.requestsHere?h`<p class="window">${t===
0?"The first":`The ${f(t)} messages before these are those of the request before; the last`} ${f(i)} of ${f(e)}:</p>`:h`<p class="window">Messages ${f(t)} to ${f(
r-1)} of ${f(e)}
      ${t>0?h`<button @click=${()=>this.show(Math.max(0,t-nr))}>Earlier</button> <button @click=${()=>this.show(0)}>First</button>`:u}
      ${r<e?h`<button @click=${()=>this.show(r)}>Later</button>`:u}</p>`}show(e){let t=this.facts?.at;t!==void 0&&v(this.model.source.request(this.model.key,t,e).
then(i=>{this.facts?.at===t&&(this.facts={...this.facts,body:i.body,from:i.from??0,shown:i.shown??0})}))}copy(e){let t=j(e.body).textContent??"";v(W(t).then(()=>L(
"Copied")))}render(){let{facts:e,reply:t}=this;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("\u2039 Previous",e?.previous??null)} ${this.step("Next \u203A",this.next)}
        ${t?h`<p><a href=${A(this.model.key,"",{e:t.at})}>Reply</a> <span class="muted">${S(t.summary,120)}</span></p>`:u}
        ${e?h`<button class="quiet" @click=${()=>this.copy(e)}>${(e.shown??0)<(e.total??0)?"Copy what is shown":"Copy the request"}</button>`:u}
      </div>
      ${this.model.source.requestsHere&&!this.failure?h`<p class="muted">${this.model.source.requestsHere}</p>`:u}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:u}
      ${e&&!this.failure?h`${this.cacheBreak(e)}
        <div class="columns is-request">
          <section class="card"><h2>Changes since the previous request</h2>${e.previous===null?h`<p class="muted">This is the first request.</p>`:!e.difference||
e.difference.length===0?h`<p class="muted">Nothing changed.</p>`:j(e.difference)}</section>
          <section class="card"><h2>Request${e.model?h` to <code>${e.model}</code>`:u}</h2>${this.window(e)}${j(e.body)}</section>
        </div>`:u}
    </div>`}};c([y({attribute:!1})],V.prototype,"model",2),c([y({attribute:!1})],V.prototype,"at",2),c([m()],V.prototype,"facts",2),c([m()],V.prototype,"reply",
2),c([m()],V.prototype,"next",2),c([m()],V.prototype,"failure",2),V=c([k("pt-request")],V);function bi(n){return n.kind==="assistant"}var rs=100,ne=class extends x{constructor(){super(...arguments);this.depth=1;this.model=null;this.failure="";this.toggled=e=>{e.target===e.currentTarget&&e.currentTarget.
open&&this.model===null&&this.load()}}async load(){let e=new Ue(this.source,this.member.key,this.depth);try{await e.open(null,"all"),await e.loadAll(0,rs),this.
model=e,this.failure=""}catch(t){this.failure=C(t)}}render(){let e=[...this.model?.path.subarray(0,rs)??[]].filter(i=>!this.model?.isMerged(i)),t=(this.model?.path.
length??0)-rs;return h`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:h`<p><a href=${A(this.member.key)}>Open this session</a></p>
      ${this.model?e.map((i,r)=>this.row(i,r)):h`<p class="muted">Loading…</p>`}
      ${t>0?h`<p class="muted">${w(t,"more entry","more entries")}: open the session to read them.</p>`:u}`}
    </details>`}row(e,t){let i=this.model?.row(e);return!i||!this.model||i.kind==="note"?u:wt(this.model,i,{place:t,isCursor:!1,isFolded:!1,isHit:!1})}};c([y({attribute:!1})],
ne.prototype,"source",2),c([y({attribute:!1})],ne.prototype,"member",2),c([y({attribute:!1})],ne.prototype,"depth",2),c([m()],ne.prototype,"model",2),c([m()],ne.
prototype,"failure",2),ne=c([k("pt-subagent")],ne);var rr=24,it=100,or=14,ar={user:"User: ",assistant:"Assistant: "},X=class extends x{constructor(){super(...arguments);this.filter="default";this.cursor=-1;this.
version=0;this.total=0;this.active=-1;this.rows=new Map;this.pages=new Set;this.places=new Map;this.virtual=new Y(this,()=>({count:this.total,scroller:".tree-sc\
roller",estimate:()=>rr,overscan:10}));this.shownAs="";this.followed=-1;this.generation=0;this.isNew=!0;this.pressed=e=>{let i={ArrowDown:1,j:1,ArrowUp:-1,k:-1,
PageDown:20,PageUp:-20,Home:-this.total,g:-this.total,End:this.total,G:this.total}[e.key];if(e.key==="Enter"||e.key===" ")this.choose(this.active);else if(i!==void 0)
this.move(Math.max(0,Math.min(this.total-1,this.active+i)));else if(e.key==="ArrowLeft"||e.key==="ArrowRight")this.toBranch(e.key==="ArrowLeft"?-1:1);else return;
e.preventDefault(),e.stopPropagation()}}willUpdate(e){let t=this.model.facts,i=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.filter}`;if(t&&this.model.hasRows&&
i!==this.shownAs){let r=!this.shownAs.startsWith(`${this.model.key} `)||!this.shownAs.endsWith(this.filter);this.shownAs=i,this.forget(r),v(this.load(0))}!this.
model.hasRows||!e.has("cursor")&&this.followed===this.cursor||(this.followed=this.cursor,v(this.follow()))}forget(e){this.generation+=1,this.pages.clear(),this.
places.clear(),e&&(this.rows=new Map),this.isNew||=e}updated(){let e=this.virtual.range;if(!(!e||this.total===0))for(let t=Math.floor(e.startIndex/it);t<=Math.floor(
e.endIndex/it);t+=1)v(this.load(t))}async load(e){if(this.pages.has(e))return;let t=this.generation;this.pages.add(e);let i=await this.model.source.tree(this.model.
key,{from:e*it,count:it,filter:this.filter});t===this.generation&&this.keep(i.from,i.rows,i.total)}keep(e,t,i){t.forEach((r,o)=>{this.rows.set(e+o,r),this.places.
set(r.at,e+o)}),this.total=i,this.requestUpdate()}async follow(){if(this.cursor<0)return;if(!this.places.has(this.cursor)){let i=this.generation,r=await this.model.
source.tree(this.model.key,{count:it,filter:this.filter,at:this.cursor});i===this.generation&&this.keep(r.from??0,r.rows,r.total)}let e=this.places.get(this.cursor)??
this.nearest(this.cursor);if(e===void 0)return;this.active=e;let t=this.virtual.range;(this.isNew||!t||e<=t.startIndex||e>=t.endIndex)&&this.virtual.scrollTo(e,
"center"),this.isNew=!1}nearest(e){let t=-1;for(let[i]of this.places)i<e&&i>t&&(t=i);return this.places.get(t)}choose(e){let t=this.rows.get(e);t&&(this.active=
e,this.dispatchEvent(new CustomEvent("choose",{detail:t.at,bubbles:!0})))}toBranch(e){for(let t=this.active+e;this.rows.has(t);t+=e)if((this.rows.get(t)?.children??
0)>1)return this.move(t)}move(e){this.active=e,this.virtual.scrollTo(e)}line(e,t){let i=this.rows.get(e),r=e===this.active,o={transform:`translateY(${t}px)`,"--\
depth":String(Math.min(i?.depth??0,or))};if(!i)return h`<div class="tree-row" role="treeitem" aria-level="1" style=${R(o)}><span class="muted">…</span></div>`;
let a=["tree-row",`is-${i.role??i.kind}`,i.active?"is-active":"is-abandoned",r?"is-here":"",r?"is-focus":"",i.begins&&e>0?"begins":"",i.isError?"is-failed":""];
return h`<div
      class=${a.filter(Boolean).join(" ")} id="tree-${i.at}" role="treeitem" aria-level=${i.depth+1} aria-selected=${i.at===this.cursor?"true":"false"}
      aria-setsize=${this.total} aria-posinset=${e+1} data-at=${i.at} style=${R(o)} @click=${()=>this.choose(e)}
    ><span class="dot" aria-hidden="true"></span><span class="hidden">${ar[i.role??""]??""}</span>${i.label===null||i.label===void 0?u:h`<span class="chip is-label">${i.
label}</span>`}<span class="tree-text">${S(i.text,120)||i.kind}</span>${i.children>1?h`<span class="branches" title="Branches here">${i.children}</span>`:u}${i.
isLeaf?h`<span class="chip">current</span>`:u}</div>`}render(){let e=this.virtual.items,t=this.rows.get(this.active);return h`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${t?
`tree-${t.at}`:u} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${R({height:`${this.virtual.total}px`})}>
        ${Ie(e,i=>i.key,i=>this.line(i.index,i.start))}
      </div>
    </div>`}};c([y({attribute:!1})],X.prototype,"model",2),c([y({attribute:!1})],X.prototype,"filter",2),c([y({attribute:!1})],X.prototype,"cursor",2),c([y({attribute:!1})],
X.prototype,"version",2),c([m()],X.prototype,"total",2),c([m()],X.prototype,"active",2),X=c([k("pt-tree")],X);var os=[{keys:["j","ArrowDown"],shown:"j \u2193",does:"next message",action:"down"},{keys:["k","ArrowUp"],shown:"k \u2191",does:"previous message",action:"up"},
{keys:[" ","PageDown"],shown:"Space PgDn",does:"a page down",action:"pageDown"},{keys:["PageUp"],shown:"PgUp",does:"a page up",action:"pageUp"},{keys:["g","Home"],
shown:"g Home",does:"to the beginning",action:"first"},{keys:["G","End"],shown:"G End",does:"to the end",action:"last"},{keys:["]"],shown:"]",does:"next message\
 of the user",action:"nextUser"},{keys:["["],shown:"[",does:"previous message of the user",action:"previousUser"},{keys:["}"],shown:"}",does:"next error",action:"\
nextError"},{keys:["{"],shown:"{",does:"previous error",action:"previousError"},{keys:["/"],shown:"/",does:"find in this session",action:"find"},{keys:["n"],shown:"\
n",does:"next match",action:"findNext"},{keys:["N"],shown:"N",does:"previous match",action:"findPrevious"},{keys:["o","Enter"],shown:"o Enter",does:"fold or unf\
old the message",action:"fold"},{keys:["O"],shown:"O",does:"fold or unfold all messages",action:"foldAll"},{keys:["y"],shown:"y",does:"copy the message",action:"\
copy"},{keys:["Y"],shown:"Y",does:"copy its code block",action:"copyCode"},{keys:["L"],shown:"L",does:"copy a link to the message",action:"link"},{keys:["l"],shown:"\
l",does:"set a label (with --allow-edit)",action:"label"},{keys:["r"],shown:"r",does:"the request for this reply",action:"request"},{keys:["t"],shown:"t",does:"\
to the tree, and back",action:"tree"},{keys:["q"],shown:"q",does:"back to the sessions",action:"leave"}],$i=[{title:"Conversation",rows:os.map(({shown:n,does:s})=>[
n,s])},{title:"Everywhere",rows:[["Ctrl+K \u2318K","sessions, views and commands"],["1 \u2026 6","views of a session"],["?","this help"],["Esc","close, or leave\
 a field"]]},{title:"Sessions",rows:[["/","search"],["j \u2193","next session"],["k \u2191","previous session"],["Enter","open it"]]},{title:"Tree",rows:[["j \u2193 \
k \u2191","move"],["\u2190 \u2192","to the previous or next branch point"],["Enter","show the entry"],["t","back to the conversation"]]},{title:"Lanes, graphs a\
nd charts",rows:[["Tab","to the next part"],["\u2190 \u2192 \u2191 \u2193","move, or pan"],["+ \u2212","zoom a graph"],["0","show all of a graph"],["Enter","ope\
n what is selected"]]}];function Me(n){let s=n.target;return s!==null&&(s.isContentEditable||/^(?:INPUT|TEXTAREA|SELECT)$/.test(s.tagName))}function wi(n){let s=n.
target;return s!==null&&s.closest("button, a[href], summary, [role=slider], [role=tree]")!==null}var Be=class{constructor(s){this.ends=new WeakMap;this.timer=0;this.host=s,s.addController(this)}hostDisconnected(){clearTimeout(this.timer)}watch(s){let e=Date.
now();for(let i of s)i.isLive&&!this.ends.has(i)&&this.ends.set(i,e+(i.liveMs??0));clearTimeout(this.timer);let t=s.map(i=>this.ends.get(i)??0).filter(i=>i>e);t.
length!==0&&(this.timer=window.setTimeout(()=>{this.host.requestUpdate(),this.watch(s)},Math.min(...t)-e))}has(s){return(this.ends.get(s)??0)>Date.now()}},Tt="S\
omething was written a moment ago";function At(n){try{return localStorage.getItem(`pitree-${n}`)}catch{return null}}function Rt(n,s){try{localStorage.setItem(`pitree-${n}`,s)}catch{}}var lr={default:"",all:"Everything","no-tools":"Without tools",user:"User only",labeled:"Labeled only"};function ki(n,s,e){let t={leaf:n.route.parameters.get("l\
eaf"),e:n.cursor>=0?n.cursor:null};return h`<div class="session-head">
    <div class="title-line">
      ${n.source.hasList?h`<a class="back" href=${T("sessions")} aria-label="All sessions">‹</a>`:u}
      <h1 title=${e.title}>${e.title}</h1>
      ${n.live.has(e)?h`<span class="live" title=${Tt}>live</span>`:u}
      <p class="facts">${dr(e).map(([i,r])=>h`<span title=${r}>${i}</span>`)}${mr(e,n.source.hasList)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${se.filter(({tab:i})=>n.source.tabs.has(i)).map(({tab:i,name:r})=>h`<a href=${A(s.key,i,t)} aria-current=${i===n.route.tab?"page":u}>${r}${cr(i,e)}</a>`)}
    </nav>
    ${hr(e)}
  </div>`}function hr({problems:n=[],path:s}){let[e,...t]=n;if(!e)return u;let i=({line:r,text:o,advice:a})=>h`${r>0?`line ${f(r)}: `:""}${o}; ${a}`;return h`<div class="notice is-bad damage" role="note"><p><b>This session file is damaged</b>: ${i(
e)}.</p>
    ${t.length===0?u:h`<details><summary>${w(t.length,"more problem","more problems")}</summary><ul>${t.map(r=>h`<li>${i(r)}</li>`)}</ul></details>`}
    <p>Show everything: <code>pitree check ${s===""?"FILE":as(s)}</code></p></div>`}function cr(n,s){let e=n==="lanes"?s.laneCount??s.lanes.length:n==="family"?
s.family.length:0;return e>1?h` <span class="badge">${e}</span>`:u}function dr(n){return[[U(n.cwd),n.cwd],[ce(n.modified),Ee(n.modified)],[w(n.entries,"entry","\
entries"),""],[`${P(n.tokens??0)} tokens`,f(n.tokens??0)],[Se(n.cost??null),"Recorded cost"]]}function as(n){let[s,e]=n.startsWith("~/")?["~/",n.slice(2)]:["",n];
return/^[\w@%+=:,./-]+$/.test(e)?n:`${s}'${e.replaceAll("'","'\\''")}'`}function ur({cwd:n,id:s}){return`cd ${as(n)} && pi --session ${as(s)}`}function pr(n){let s=ur(
n);return h`<dt>Resume</dt><dd><code>${s}</code> <button class="quiet" @click=${()=>v(W(s).then(()=>L("Command copied")))}>Copy</button></dd>`}function mr(n,s){
return h`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${n.path}</code></dd><dt>Id</dt><dd><code>${n.id}</code></dd><dt>Created</dt><dd>${Ee(n.created)}</dd>
    ${s&&n.id!==""&&n.cwd!==""?pr(n):u}
    ${n.facts.map(([e,t])=>h`<dt>${e}</dt><dd>${t}</dd>`)}
  </dl></details>`}function xi(n,s){return h`${yr(n,s)}
    <div class=${n.showsTree?"panes has-tree":"panes"}>
      ${n.showsTree?h`<pt-tree .model=${s} .filter=${s.filter==="all"?"default":s.filter} .cursor=${n.cursor} .version=${n.version}
        @choose=${e=>{n.goTo(e.detail,{push:!0})}}></pt-tree>`:u}
      <pt-conversation .model=${s} .cursor=${n.cursor} .words=${n.findWords} .hits=${n.hits} .version=${n.version}
        @row-action=${n.rowAction} @click=${e=>gr(n,e)} @seen=${e=>fr(n,e.detail)}></pt-conversation>
      <pt-minimap .model=${s} .version=${n.version} .seen=${n.seen} .hits=${n.hits}
        @go-place=${e=>n.conversation?.scrollToPlace(e.detail)}></pt-minimap>
      ${n.newRows>0?h`<button class="new-rows" @click=${()=>n.toNewest()}>${w(n.newRows,"new entry","new entries")} ↓</button>`:u}
    </div>`}function fr(n,s){n.seen=s,s.last>=(n.model?.path.length??0)-1&&(n.newRows=0)}function gr(n,s){let e=s.target,t=e.closest(".slot > article");!t||e.closest(
"a, button")||!getSelection()?.isCollapsed||(n.cursor=Number(t.dataset.at),n.noteCursor(n.cursor))}function yr(n,s){let e=s.facts?.lanes.find(t=>t.leaf===s.leaf);
return h`<div class="toolbar">
    <button class="quiet" aria-pressed=${n.showsTree?"true":"false"} title="Tree (t)" @click=${()=>n.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${t=>n.setFilter(t.target.value)}>
        ${xt.map(t=>h`<option value=${t} ?selected=${t===s.filter}>${lr[t]}</option>`)}
      </select></label>
    <span class="spacer">${e&&!e.isActive?h`<span class="chip">abandoned branch</span> <a href=${A(s.key)}>Show the current one</a>`:u}</span>
    <pt-find .model=${s} .query=${n.findText} .hasEntry=${n.route.parameters.has("e")||n.route.parameters.has("id")} .cursor=${n.cursor}
      @found=${t=>n.setFound(t.detail.query,t.detail.words,t.detail.hits)}
      @find-at=${t=>{n.goTo(t.detail)}} @close-find=${()=>vr(n)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${()=>n.conversation?.foldAll(!n.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${()=>n.print()}>Print</button>
    ${s.facts?.canSave?h`<button class="quiet" title="Download this session as JSONL, as Pi reads it" @click=${()=>n.save()}>JSONL</button>`:u}
  </div>`}function vr(n){n.setFound("",[],new Set),n.conversation?.show(n.cursor,{focus:!0,align:"auto"})}async function ls(n,s,e=0){let t=Math.min(s.path.length,e+kt);L(t-e<s.path.length?`Preparing entries ${f(e+1)} to ${f(t)} of ${f(s.path.length)}\u2026`:"Prepari\
ng the pages\u2026"),await s.loadAll(e,kt),await br(n,e),window.print(),await hs(n)}async function hs(n){n.isPrinting&&(n.isPrinting=!1,await n.updateComplete,n.
show(n.cursor,{align:"center"}))}async function br(n,s){n.printedFrom=s,n.isPrinting=!0,await n.updateComplete}var F=class extends x{constructor(){super(...arguments);this.model=null;this.version=0;this.cursor=-1;this.seen={first:0,last:0};this.hits=new Set;this.findText=
"";this.findWords=[];this.newRows=0;this.showsTree=At("tree")!=="no"&&innerWidth>760;this.failure="";this.live=new Be(this);this.openedAs="";this.openedId="";this.
isStale=!1;this.isRefreshing=!1;this.noteCursor=z(300,e=>{this.isConnected&&this.route.tab===""&&this.cursor===e&&_(qe(this.here,{id:null,e}),!0)});this.printing=
()=>{!this.conversation||this.conversation.isPrinting||(this.conversation.printedFrom=0,this.conversation.isPrinting=!0)};this.printed=()=>{this.conversation&&v(
hs(this.conversation))};this.rowAction=e=>this.act(e.detail.action,e.detail.at);this.actions={down:()=>this.moveTo(this.conversation?.step(this.cursor,1)??null),
up:()=>this.moveTo(this.conversation?.step(this.cursor,-1)??null),pageDown:()=>this.page(1),pageUp:()=>this.page(-1),first:()=>this.moveTo(this.model?.path[0]??
null,"start"),last:()=>this.moveTo(this.lastShown(),"end"),nextUser:()=>this.toMark("user",1),previousUser:()=>this.toMark("user",-1),nextError:()=>this.toMark(
"error",1),previousError:()=>this.toMark("error",-1),find:()=>this.finder?.focusField(),findNext:()=>this.finder?.step(1),findPrevious:()=>this.finder?.step(-1),
fold:()=>this.conversation?.fold(this.cursor),foldAll:()=>this.conversation?.foldAll(!this.conversation.isAllFolded),copy:()=>this.act("copy",this.cursor),copyCode:()=>this.
act("copyCode",this.cursor),link:()=>this.act("link",this.cursor),label:()=>this.act("label",this.cursor),request:()=>this.act("request",this.cursor),tree:()=>this.
toTree(),leave:()=>_(this.route.tab===""?T("sessions"):A(this.route.key))};this.pressed=e=>{if(e.defaultPrevented||Me(e)||document.querySelector("dialog[open]"))
return;if((e.ctrlKey||e.metaKey)&&e.key==="p"&&this.route.tab==="")return e.preventDefault(),this.print();if(e.ctrlKey||e.metaKey||e.altKey)return;let t=se.find(
o=>o.key===e.key);if(t&&this.source.tabs.has(t.tab))return _(A(this.route.key,t.tab,{leaf:this.route.parameters.get("leaf"),e:this.cursor>=0?this.cursor:null}));
let i=os.find(({keys:o})=>o.includes(e.key)),r=(e.key==="Enter"||e.key===" ")&&wi(e);!i||r||this.route.tab!==""&&i.action!=="leave"||(e.preventDefault(),this.actions[i.
action]())}}connectedCallback(){super.connectedCallback(),window.addEventListener("keydown",this.pressed),window.addEventListener("beforeprint",this.printing),window.
addEventListener("afterprint",this.printed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed),window.removeEventListener(
"beforeprint",this.printing),window.removeEventListener("afterprint",this.printed)}willUpdate(e){(e.has("route")||e.has("source"))&&this.followRoute()}followRoute(){
let{key:e,parameters:t}=this.route;this.model?.key!==e&&(this.model=new Ue(this.source,e),this.model.changed=()=>this.loaded(),this.cursor=-1,this.openedAs="",this.
hits=new Set);let{leaf:i,filter:r,at:o}=ui(this.route),a=es(this.route),l=`${i} ${r}`;this.findText=t.get("find")??"",l!==this.openedAs?(this.openedAs=l,v(this.
open(this.model,i,r))):a!==""&&a!==this.openedId&&this.model.isOpen?v(this.reachId(a)):o!==null&&o!==this.cursor&&this.model.isOpen&&this.reach(o)}reach(e){this.
route.tab===""&&(this.model?.place(e)??0)<0?v(this.goTo(e)):this.show(e)}async reachId(e){let t=await this.entryOf(e);t!==null&&e===this.openedId&&this.reach(t)}loaded(){
this.cursor=this.model?.callerOf(this.cursor)??this.cursor,this.model?.facts&&this.live.watch([this.model.facts]),this.version+=1}async open(e,t,i){try{await e.
open(t,i,Ne(this.route)),this.failure="",document.title=`${S(e.facts?.title??"Session",80)} \xB7 pitree`,await this.updateComplete;let r=Ne(this.route)??await this.
entryOf(es(this.route));this.route.tab===""?this.begin(r):r!==null&&(this.cursor=r),await e.readMarks()}catch(r){this.failure=C(r)}}async entryOf(e){if(this.openedId=
e,e==="")return null;let t=await this.source.resolve(this.route.key,e);return t>=0?t:He(/^e(\d+)$/.exec(this.route.entry)?.[1]??null)}begin(e){e!==null?this.reach(
e):this.cursor<0?this.cursor=this.model?.path[0]??-1:this.show(this.cursor)}get here(){return{...this.route,parameters:Qe(location.hash).parameters}}async goTo(e,{
push:t=!1,focus:i=!1}={}){let r=this.model;if(!r)return;let o=await r.leafFor(e);if(!this.isConnected||r!==this.model)return;let a=o!==r.leaf&&o!==null,l=A(r.key,
"",{...Object.fromEntries(this.here.parameters),leaf:a?o:this.here.parameters.get("leaf"),id:null,e});t||a?(a&&L("On another branch: switched to it."),_(l,!t)):
(this.show(e,i),_(l,!0))}show(e,t=!1){this.cursor=this.model?.callerOf(e)??e,this.version+=1,this.updateComplete.then(()=>this.conversation?.show(e,{focus:t}))}moveTo(e,t="\
auto"){e!==null&&(this.cursor=e,this.updateComplete.then(()=>this.conversation?.show(e,{focus:!0,align:t})),this.noteCursor(e))}async liveChange(e){if(!(!e.all&&
!e.changed.includes(this.route.key))){if(this.failure)return this.openedAs="",this.followRoute();if(this.isStale=!0,!this.isRefreshing){this.isRefreshing=!0;try{
for(;this.isStale;)this.isStale=!1,await this.refresh()}finally{this.isRefreshing=!1}}}}async refresh(){let e=this.model;if(!e?.facts)return;let t=this.conversation?.
isAtEnd??!1,i=await e.refresh();i<=0||e!==this.model||(le(w(i,"new entry","new entries")),t?this.updateComplete.then(()=>this.conversation?.scrollToEnd()):this.
newRows+=i)}toNewest(){this.newRows=0,this.moveTo(this.model?.path.at(-1)??null,"start"),this.updateComplete.then(()=>this.conversation?.scrollToEnd())}setFilter(e){
_(qe(this.here,{filter:e==="all"?null:e,id:null,e:this.cursor>=0?this.cursor:null}))}setFound(e,t,i){this.isConnected&&(this.findText=e,this.findWords=t,this.hits=
i,_(qe(this.here,{find:e||null}),!0))}toggleTree(){this.showsTree=!this.showsTree,Rt("tree",this.showsTree?"yes":"no")}rename(){let e=prompt("Name of the sessio\
n (empty removes it)",this.model?.facts?.name??"");e!==null&&v(this.source.rename(this.route.key,e.trim()))}savePosition(){v(this.source.goTo(this.route.key,this.
cursor).then(()=>L("Position saved")))}print(){this.conversation&&this.model&&v(ls(this.conversation,this.model))}save(){v(this.source.save(this.route.key))}printFromHere(){
this.conversation&&this.model&&v(ls(this.conversation,this.model,Math.max(0,this.model.nearest(this.cursor))))}get canEdit(){return this.source.canEdit&&this.model?.
facts?.canEdit===!0}act(e,t){let i=this.model,r=i?.row(t);if(!(!i||!r))switch(e){case"fold":return this.conversation?.fold(t);case"copy":return v(W(ei(r)).then(
()=>L("Message copied")));case"copyCode":return this.copyCode(ti(r));case"link":return v(W(new URL(A(i.key,"",{leaf:this.route.parameters.get("leaf"),e:t}),location.
href).href).then(()=>L("Link copied")));case"request":return _(A(i.key,"request",{leaf:this.route.parameters.get("leaf"),e:t}));case"label":return this.askLabel(
t,r.label)}}copyCode(e){if(e.length===0)return L("No code block in this message");v(W(e.join(`

`)).then(()=>L(e.length===1?"Code block copied":w(e.length,"code block copied","code blocks copied"))))}askLabel(e,t){let i=this.source.canEdit?prompt("Label (e\
mpty removes it)",t??""):null;i!==null&&v(this.source.label(this.route.key,e,i.trim()))}lastShown(){let e=this.model?.path.at(-1);return e===void 0?null:this.model?.
callerOf(e)??e}page(e){this.conversation?.scrollByPage(e),requestAnimationFrame(()=>requestAnimationFrame(()=>this.cursor=this.conversation?.firstSeen()??this.cursor))}toMark(e,t){
let i=this.model?.nextMark(e,this.cursor,t)??null;if(i===null)return le(e==="user"?"No further message":"No further error");this.show(i,!0),this.noteCursor(this.
cursor)}toTree(){this.showsTree||this.toggleTree(),this.updateComplete.then(()=>{let e=this.querySelector(".tree-scroller");document.activeElement===e?this.conversation?.
show(this.cursor,{focus:!0,align:"auto"}):e?.focus()})}render(){let e=this.model;return this.failure?h`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.
failure}</p><p><a href=${T("sessions")}>All sessions</a></p></main>`:e?.facts?h`${ki(this,e,e.facts)}<main class="session-main" tabindex="-1">${this.tab(e)}</main>`:
h`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`}tab(e){let t=He(this.route.parameters.get("e"));switch(this.route.tab){case"l\
anes":return h`<pt-lanes .model=${e} .version=${this.version}></pt-lanes>`;case"tree":return h`<pt-graph .model=${e} .version=${this.version}></pt-graph>`;case"\
family":return h`<pt-family .model=${e} .version=${this.version}></pt-family>`;case"context":return h`<pt-context .model=${e} .at=${t}></pt-context>`;case"reque\
st":return h`<pt-request .model=${e} .at=${t}></pt-request>`;default:return xi(this,e)}}};c([y({attribute:!1})],F.prototype,"source",2),c([y({attribute:!1})],F.
prototype,"route",2),c([m()],F.prototype,"model",2),c([m()],F.prototype,"version",2),c([m()],F.prototype,"cursor",2),c([m()],F.prototype,"seen",2),c([m()],F.prototype,
"hits",2),c([m()],F.prototype,"findText",2),c([m()],F.prototype,"findWords",2),c([m()],F.prototype,"newRows",2),c([m()],F.prototype,"showsTree",2),c([m()],F.prototype,
"failure",2),c([ae("pt-conversation")],F.prototype,"conversation",2),c([ae("pt-find")],F.prototype,"finder",2),F=c([k("pt-session")],F);function cs({text:n,marks:s}){let e=[],t=0;for(let[i,r]of[...s].sort((o,a)=>o[0]-a[0]))i<t||r<=i||r>n.length||(e.push(n.slice(t,i),h`<mark>${n.slice(i,r)}</mark>`),
t=r);return e.push(n.slice(t)),h`${e}`}function nt(n,s){let e=n.toLowerCase(),t=[];if(e.length===n.length)for(let i of s)for(let r=e.indexOf(i);i&&r>=0;r=e.indexOf(
i,r+i.length))t.push([r,r+i.length]);return cs({text:n,marks:t})}function Mt({hit:n}){return n?n.id||`line-${n.line}`:null}function Si(n,s){let e=new Map(n.map(l=>[l.key,l])),t=new Map;for(let l of n)l.parentKey!==null&&e.has(l.parentKey)&&l.parentKey!==l.key&&t.set(l.parentKey,[...t.
get(l.parentKey)??[],l]);let i=new Set,r=[],o=(l,d,p,g)=>{if(i.has(l.key))return 0;i.add(l.key);let b={row:l,depth:p,below:0,rails:d};g&&r.push(b);let $=t.get(l.
key)??[];return $.forEach((E,M)=>{let ge=M<$.length-1?[...d,p+1]:d;b.below+=1+o(E,ge,p+1,g&&!s.has(l.key))}),b.below},a=l=>{let d=l;for(let p=0;p<n.length&&d.parentKey!==
null;p+=1)d=e.get(d.parentKey)??{...d,parentKey:null};return e.get(d.key)??l};for(let l of n)o(a(l),[],0,!0);return r}function Ei(n){return n.map(s=>({row:s,depth:0,
below:0,rails:[]}))}var ds=100,$r=5e3,Ti=6,Ai=[["recent","Recent"],["cost","Cost"],["messages","Messages"],["tokens","Tokens"]],wr=["relevance","Relevance"],H=class extends x{constructor(){
super(...arguments);this.version=0;this.rows=[];this.total=-1;this.isGuess=!1;this.words=[];this.failure="";this.active="";this.projects=[];this.folded=new Set;
this.asked="";this.focusedKey=null;this.live=new Be(this);this.virtual=new Y(this,()=>({count:this.list.length,of:this.list,scroller:".list-scroller",estimate:e=>this.
list[e]?.row.hit?78:54,measures:!0,keyOf:e=>this.list[e]?.row.key??e}));this.listed=null;this.readProjects=z(400,()=>v(this.source.projects().then(e=>this.projects=
e)));this.refresh=z(400,()=>v(this.load(!0)));this.typed=z(120,e=>this.set({q:e||null},!0));this.pressed=e=>{let t=!e.ctrlKey&&!e.metaKey&&!e.altKey&&!document.
querySelector("dialog[open]");if(e.defaultPrevented||!t)return;let i=this.querySelector(".search input"),r=e.target===i,o={ArrowDown:1,ArrowUp:-1,...r?{}:{j:1,k:-1}}[e.
key];if(!(Me(e)&&!r)){if(e.key==="/"&&!r)i?.focus();else if(e.key==="Escape"&&r)i?.blur();else if(e.key==="Enter"&&r)this.open(this.list.find(({row:a})=>a.key===
this.active)?.row??this.list[0]?.row);else if(o!==void 0)this.move(o,r);else return;e.preventDefault()}}}connectedCallback(){super.connectedCallback(),window.addEventListener(
"keydown",this.pressed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed)}value(e){return this.route.parameters.
get(e)??""}get list(){let e=this.value("q")!==""||this.value("flat")==="1";return(this.listed?.rows!==this.rows||this.listed.folded!==this.folded||this.listed.isFlat!==
e)&&(this.listed={rows:this.rows,folded:this.folded,isFlat:e,list:e?Ei(this.rows):Si(this.rows,this.folded)}),this.listed.list}willUpdate(e){document.activeElement!==
document.body&&(this.focusedKey=this.querySelector(".session:focus-within")?.dataset.key??null);let t=e.has("source")||e.has("route")&&this.route.parameters.toString()!==
this.asked;(e.has("source")||e.has("version"))&&this.readProjects(),t?v(this.load(!1)):e.has("version")&&this.refresh()}updated(){this.focusedKey===null||document.
activeElement!==document.body||this.querySelector(`[data-key="${CSS.escape(this.focusedKey)}"] a.title`)?.focus({preventScroll:!0})}async load(e){let t=this.route.
parameters.toString();this.asked=t;try{let i=[];for(let r=0;r<$r;r+=ds){let o=await this.page(r);if(t!==this.asked)return;i=[...i,...o.rows];let a=o.rows.length<
ds||i.length>=o.total;if((!e||a)&&this.take(o,i,r),a)break}this.failure=""}catch(i){this.failure=C(i)}}page(e){return this.source.sessions({q:this.value("q"),project:this.
value("project"),sort:this.value("sort"),in:this.value("in"),since:this.value("since"),until:this.value("until"),offset:e,limit:ds})}take(e,t,i){this.rows=t,this.
live.watch(t),this.isGuess=e.isGuess,this.words=e.words.map(r=>r.toLowerCase()),!(i>0&&this.total===e.total)&&(this.total=e.total,le(w(this.total,"session")))}get group(){
let[e="",...t]=this.value("in").split(":"),i=t.join(":"),r=e==="family"?this.rows.find(({key:a})=>a===i)?.title:void 0,o=[this.value("since")&&`since ${this.value(
"since")}`,this.value("until")&&`until ${this.value("until")}`].filter(Boolean).join(" ");return[e,r===void 0?i||"not recorded":S(r,40),o].filter(Boolean).join(
" ")}set(e,t=!1){_(qe(this.route,e),t)}move(e,t){let i=this.list,r=Math.max(0,Math.min(i.length-1,i.findIndex(({row:a})=>a.key===this.active)+e)),o=i[r]?.row.key;
o!==void 0&&(this.active=o,this.virtual.scrollTo(r),!t&&this.updateComplete.then(()=>requestAnimationFrame(()=>this.querySelector(`[data-key="${o}"] a.title`)?.
focus({preventScroll:!0}))))}open(e){e&&_(this.link(e))}link(e){let t=this.value("q");if(!e.hit||t==="")return A(e.key);let{snippet:i}=e.hit,r=i?.marks[0],o=r?i.
text.slice(r[0],r[1]):null;return A(e.key,"",{id:Mt(e),find:o})}askDelete(e){window.dispatchEvent(new CustomEvent("ask-delete",{detail:e}))}fold(e){let t=new Set(
this.folded);t.delete(e)||t.add(e),this.folded=t}row({row:e,depth:t,below:i,rails:r}){let o=this.words,a=this.folded.has(e.key),l=this.live.has(e);return h`<div class=${`\
session ${e.key===this.active?"is-active":""} ${l?"is-live":""}`} data-key=${e.key} style=${R({"--depth":String(Math.min(t,Ti))})}>
      ${t>0?h`<span class="thread" aria-hidden="true"></span>`:u}${r.filter(d=>d<=Ti).map(d=>h`<span class="thread-on" aria-hidden="true" style=${R({"--rail":String(
d)})}></span>`)}
      <div class="session-text">
        <p class="session-title">${l?h`<span class="live" title=${Tt}>live</span>`:u}${e.isSubagent?h`<span class="chip">sub-agent</span>`:u}<a class="title" href=${this.
link(e)}>${nt(S(e.title,140),o)}</a>
          ${e.name!==null&&e.firstMessage&&!e.hit?h`<span class="first-message">${S(e.firstMessage,120)}</span>`:u}
          ${i>0?h`<button class="quiet fold" aria-expanded=${a?"false":"true"} @click=${()=>this.fold(e.key)}>${a?"+":"\u2212"} ${w(i,"more","more")}</button>`:
u}</p>
        ${e.hit?.snippet&&e.hit.snippet.text.trim()!==e.title.trim()?h`<p class="hit">${cs(e.hit.snippet)}</p>`:u}
        <p class="session-facts"><span title=${e.cwd}>${nt(U(e.cwd),o)}</span>${e.model?h`<span>${e.model}</span>`:u}${this.why(e)}</p>
      </div>
      ${Os(e.activity)}
      <span class="number" title=${`${f(e.messages)} messages`}>${P(e.messages)}<small> msg</small></span>
      <span class="number" title=${`${f(e.tokens)} tokens`}>${Se(e.cost)}</span>
      <time class="number" title=${Ee(e.modified)}>${ce(e.modified)}</time>
      ${this.source.canEdit?h`<button class="quiet row-delete" title="Delete" aria-label=${`Delete ${S(e.title,60)}`} @click=${()=>this.askDelete(e.key)}>✕</button>`:
u}
    </div>`}why(e){let t=e.why??[];return t.length===0?u:h`<span class="why">matches ${t.map(({term:i,in:r,whole:o},a)=>h`${a>0?", ":""}<b>${i}</b> in the ${r}${o?
"":" (part of a word)"}`)}</span>`}filters(){let e=this.value("project"),t=e===""||this.projects.some(({cwd:l})=>l===e)?this.projects:[...this.projects,{cwd:e,sessions:0}],
i=this.value("q")?[wr,...Ai]:Ai,r=i[0]?.[0]??"",o=i.find(([l])=>l===this.value("sort"))?.[0]??r,a=l=>d=>this.set({[l]:d.target.value||null});return h`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${a("project")}><option value="">All projects</option>${t.map(({cwd:l,sessions:d})=>h`<option value=${l} title=${l} ?selected=${l===
e}>${U(l)} (${f(d)})</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${a("sort")}>${i.map(([l,d])=>h`<option value=${l===r?"":l} ?selected=${l===o}>${d}</option>`)}</select></label>
      ${this.value("q")?u:h`<button class="quiet" aria-pressed=${this.value("flat")==="1"?"false":"true"} @click=${()=>this.set({flat:this.value("flat")==="1"?null:
"1"})}>Threads</button>`}
      ${this.value("in")?h`<span class="chip" title=${this.group}>${this.group} <button class="quiet" aria-label="Show all sessions" @click=${()=>this.set({in:null,
since:null,until:null})}>✕</button></span>`:u}
      <span class="list-count">${this.total<0?"":w(this.total,"session")}</span>
    </div>`}notice(){return this.failure?h`<p class="notice is-bad">${this.failure}</p>`:this.isGuess&&this.rows.length>0?h`<p class="notice">Nothing matched exactly. These come close.</p>`:
this.total===0?h`<p class="empty">${this.value("q")?"Nothing matched.":"There are no sessions yet."}</p>`:u}render(){let e=this.list;return h`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.
value("q")} @input=${t=>this.typed(t.target.value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${R({height:`${this.virtual.total}\
px`})}>
        ${Ie(this.virtual.items,t=>t.key,t=>h`<div class="slot" role="listitem" aria-setsize=${e.length} aria-posinset=${t.index+1} data-index=${t.index} style=${R(
{transform:`translateY(${t.start}px)`})}>${e[t.index]?this.row(e[t.index]):u}</div>`)}
      </div></div></main>`}};c([y({attribute:!1})],H.prototype,"source",2),c([y({attribute:!1})],H.prototype,"route",2),c([y({attribute:!1})],H.prototype,"versi\
on",2),c([m()],H.prototype,"rows",2),c([m()],H.prototype,"total",2),c([m()],H.prototype,"isGuess",2),c([m()],H.prototype,"words",2),c([m()],H.prototype,"failure",
2),c([m()],H.prototype,"active",2),c([m()],H.prototype,"projects",2),c([m()],H.prototype,"folded",2),H=c([k("pt-sessions")],H);var Ri=[{by:"day",name:"Day"},{by:"week",name:"Week"},{by:"model",name:"Model"},{by:"project",name:"Project"},{by:"role",name:"Role"},{by:"family",name:"Family"}],
Pt=60,kr=120,xr=["today","yesterday","7d","30d","this week","last week","this month","last month","this year"],Mi=864e5,Q=class extends x{constructor(){super(...arguments);
this.version=0;this.facts=null;this.failure="";this.shown=Pt;this.asked=""}get by(){return Ri.find(({by:e})=>e===this.route.parameters.get("by"))?.by??"day"}get isByTokens(){
return this.route.parameters.get("unit")==="tokens"}get kept(){return{unit:this.isByTokens?"tokens":null,since:this.time("since"),until:this.time("until")}}time(e){
return this.route.parameters.get(e)||null}willUpdate(e){(e.has("route")||e.has("version"))&&this.load()}async load(){let e=[this.by,this.time("since"),this.time(
"until")].join(`
`);e!==this.asked&&(this.shown=Pt),this.asked=e;try{let t=await this.source.spend({by:this.by,since:this.time("since")??"",until:this.time("until")??""});if(e!==
this.asked)return;this.facts=t,this.failure=""}catch(t){e===this.asked&&(this.failure=C(t))}}bar(e){let t=e.key??"not recorded",i=this.isByTokens?e.tokens.total:
e.cost??0,r=this.isByTokens?`${P(i)} tokens`:Se(e.cost),o={project:U(t),family:e.title??(e.path?U(e.path,1):t)},a=e.sessionCount>0?T("sessions",{in:`${this.by}:${e.
group}`,since:this.time("since"),until:this.time("until")}):null;return{name:o[this.by]??t,title:t,value:i,shown:r,note:e.sessionCount>0?w(e.sessionCount,"sessi\
on"):w(e.count,"request"),link:a}}more(e){let t=e-this.shown;return t>0?h`<p class="more-bars"><button @click=${()=>this.shown+=Pt}>Show ${f(Math.min(Pt,t))} more</button> <span class="muted">of ${f(
e)}</span></p>`:u}chart(e){let t=e.rows.map(l=>this.bar(l));if(this.by!=="day"&&this.by!=="week")return h`${Xe(t.slice(0,this.shown),!0)}${this.more(t.length)}`;
let i=Sr(t,this.by==="day"?1:7),r=i.slice(-kr),o=(l,d)=>l.title.slice(0,7)!==r[d-1]?.title.slice(0,7)?Tr(l.title):"",a=r.length<i.length;return h`${a?h`<p class="muted">Showing the last ${f(
r.length)} ${this.by}s. Set Since/Until for others; the list has all ${f(i.length)}.</p>`:u}${vt(r,`Spend by ${this.by}`,o,l=>this.isByTokens?P(l):Er(l))}<details class="in-words" open><summary>As a list</summary>${Xe(
t.slice(-this.shown).reverse(),!0)}${this.more(t.length)}</details>`}set(e,t){let i=t.target.value.trim();_(T("spend",{by:this.by,...this.kept,[e]:i||null}))}times(){
let e=(i,r)=>h`<label>${r} <input type="text" list="times" size="11" placeholder=${i==="since"?"the start":"now"} autocomplete="off" spellcheck="false"
      .value=${this.time(i)??""} @change=${o=>this.set(i,o)}></label>`,t=this.time("since")!==null||this.time("until")!==null;return h`<div class="times" role="group" aria-label="Time">${e(
"since","Since")} ${e("until","Until")}
      ${t?h`<a href=${T("spend",{by:this.by,unit:this.kept.unit})}>All time</a>`:u}
      <datalist id="times">${xr.map(i=>h`<option value=${i}></option>`)}</datalist></div>`}card(){let{facts:e}=this;return this.failure?h`<p class="notice is-bad">${this.
failure}</p>`:!e||e.by!==this.by?h`<p class="muted">Adding up…</p>`:e.rows.length>0?this.chart(e):h`<p class="muted">${this.time("since")||this.time("until")?
"Nothing was spent in that time.":"Nothing was spent yet."}</p>`}render(){let e=this.facts,{kept:t}=this;return h`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${e&&!this.failure?h`<div class="figures">
        <div><b>${Se(e.total.cost)}</b><span>recorded</span></div><div><b>${P(e.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${f(e.total.count)}</b><span>requests</span></div>
        ${e.total.unknownCosts>0?h`<div><b>${f(e.total.unknownCosts)}</b><span>without a recorded cost</span></div>`:u}
      </div>`:u}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${Ri.map(({by:i,name:r})=>h`<a href=${T("spend",{by:i,...t})} aria-current=${i===this.by?"true":u}>${r}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${T("spend",{by:this.by,...t,unit:null})} aria-current=${this.isByTokens?u:"true"}>Dollars</a><a href=${T(
"spend",{by:this.by,...t,unit:"tokens"})} aria-current=${this.isByTokens?"true":u}>Tokens</a></nav>
        ${this.times()}
      </div>
      <section class="card">${this.card()}</section>
    </main>`}};c([y({attribute:!1})],Q.prototype,"source",2),c([y({attribute:!1})],Q.prototype,"route",2),c([y({attribute:!1})],Q.prototype,"version",2),c([m()],
Q.prototype,"facts",2),c([m()],Q.prototype,"failure",2),c([m()],Q.prototype,"shown",2),Q=c([k("pt-spend")],Q);function Sr(n,s){let e=[];for(let t of n){let i=Date.
parse(t.title),r=e.at(-1),o=r?Date.parse(r.title):NaN;for(let a=o+s*Mi;a<i&&e.length<1e4;a+=s*Mi){let l=new Date(a).toISOString().slice(0,10);e.push({name:l,title:l,
value:0,shown:"nothing",link:null})}e.push(t)}return e}function Er(n){return`$${n.toLocaleString("en-US",{maximumFractionDigits:4})}`}function Tr(n){let s=new Date(
`${n}T12:00:00`);return Number.isNaN(s.getTime())?"":s.toLocaleString("en-US",{month:"short"})}var Ar=15,Pi=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],Rr=[["branchedSessions","Sessions with branches","on:abandoned"],["branchP\
oints","Branch points","on:abandoned"],["forkedSessions","Sessions that were forked",null],["forks","Forks",null],["compactions","Compactions","role:summary"],[
"branchSummaries","Branch summaries","role:summary"],["labels","Labels","role:label"],["subagentRuns","Sub-agent runs","tool:subagent"]];function Mr(n,s){return s.
includes('"')?null:/^[^\s:]+$/.test(s)?`${n}:${s}`:`${n}:"${s}"`}function Ci(n){return n.includes('"')?null:`"${n}"`}var Pe=class extends x{constructor(){super(
...arguments);this.version=0;this.facts=null}willUpdate(e){(e.has("source")||e.has("version"))&&v(this.source.stats().then(t=>this.facts=t))}card(e,t){return h`<section class="card"><h2>${e}</h2>${t.
length===0?h`<p class="muted">None.</p>`:Xe(t.slice(0,Ar))}</section>`}hours(e){let t=e.hours.map((i,r)=>({name:`${r}`,title:`${r}:00`,value:i,shown:w(i,"messag\
e"),link:null}));return h`<section class="card"><h2>Hours of the day</h2>${vt(t,"Messages by hour",(i,r)=>r%6===0?i.title:"",P)}</section>`}render(){let e=this.
facts;if(!e)return h`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;let{totals:t}=e,i=a=>a>0?w(a,"error"):"",r=a=>a===
null?null:T("sessions",{q:a}),o=[[t.sessions,"sessions",T("sessions")],[t.messages.total,"messages",T("sessions",{sort:"messages"})],[t.projects,"projects",T("s\
pend",{by:"project"})],[t.activeDays,"active days",T("spend",{by:"day"})],[t.replies,"replies",r("role:assistant")],[t.failedReplies,"failed replies",r("role:as\
sistant is:error")]];return h`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${o.map(([a,l,d])=>d===null||a===0?h`<div title=${f(a)}><b>${P(a)}</b><span>${l}</span></div>`:h`<a href=${d} title=${f(a)}><b>${P(a)}</b><span>${l}</span></a>`)}</div>
      <div class="masonry">
        ${this.card("Tools",e.tools.map(({name:a,calls:l,errors:d})=>({name:a,title:a,value:l,shown:f(l),note:i(d),link:r(Mr("tool",a))})))}
        ${this.card("Models",e.models.map(({model:a,replies:l})=>({name:a??"not recorded",title:a??"",value:l,shown:f(l),link:a===null?null:T("sessions",{in:`mo\
del:${a}`})})))}
        ${this.card("Commands",e.commands.map(({command:a,runs:l,errors:d})=>({name:a,title:a,value:l,shown:f(l),note:i(d),link:r(Ci(a))})))}
        ${this.card("Files",e.files.map(({path:a,project:l,reads:d,edits:p,writes:g})=>({name:U(a),title:`${a}${l?` (${l})`:""}`,value:d+p+g,shown:f(d+p+g),note:[
p>0?w(p,"edit"):"",l?U(l,1):""].filter(Boolean).join(" \xB7 "),link:r(Ci(a.split("/").at(-1)??a))})))}
        ${this.hours(e)}
        ${this.card("Days of the week",e.weekdays.map((a,l)=>({name:Pi[l]??"",title:Pi[l]??"",value:a,shown:f(a),link:null})))}
        ${this.card("Habits",Rr.map(([a,l,d])=>({name:l,title:l,value:e.habits[a]??0,shown:f(e.habits[a]??0),link:e.habits[a]?r(d):null})))}
      </div></main>`}};c([y({attribute:!1})],Pe.prototype,"source",2),c([y({attribute:!1})],Pe.prototype,"version",2),c([m()],Pe.prototype,"facts",2),Pe=c([k("p\
t-stats")],Pe);var J=class extends x{constructor(){super(...arguments);this.commands=()=>[];this.text="";this.sessions=[];this.words=[];this.active=0;this.focusedBefore=null;this.
closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()};this.look=z(90,e=>v(this.search(e)));this.pressed=e=>{let t=this.choices,i={ArrowDown:1,
ArrowUp:-1}[e.key];if(e.key==="Enter")this.choose(t[this.active]);else if(i!==void 0)this.active=(this.active+i+t.length)%Math.max(1,t.length);else return;e.preventDefault(),
e.stopPropagation(),this.updateComplete.then(()=>this.querySelector(`#choice-${this.active}`)?.scrollIntoView({block:"nearest"}))}}open(){let e=this.querySelector(
"dialog");!e||e.open||(this.focusedBefore=document.activeElement,this.text="",this.active=0,e.showModal(),this.querySelector("input")?.focus(),v(this.search("")))}close(){
this.querySelector("dialog")?.close()}async search(e){if(!this.source.hasList)return;let t=await this.source.sessions({q:e,limit:8});e===this.text&&(this.words=
t.words.map(i=>i.toLowerCase()),this.sessions=t.rows.map(i=>({name:S(i.title,90),note:`${U(i.cwd,1)} \xB7 ${ce(i.modified)}`,kind:"Session",run:()=>_(A(i.key,"",
{id:e?Mt(i):null}))})))}get letters(){return this.text.toLowerCase().split(/\s+/).filter(Boolean)}get choices(){let e=this.source.hasList?[["Sessions",T("sessio\
ns")],["Spend",T("spend")],["Stats",T("stats")]].map(([a="",l=""])=>({name:a,note:"",kind:"View",run:()=>_(l)})):[],t=this.route.parameters.get("leaf"),i=this.route.
view!=="session"?[]:se.filter(({tab:a})=>this.source.tabs.has(a)).map(({tab:a,name:l,key:d})=>({name:l,note:d,kind:"View",run:()=>_(A(this.route.key,a,{leaf:t}))})),
r=this.commands().map(a=>({...a,kind:"Command"})),o=({name:a})=>this.letters.every(l=>a.toLowerCase().includes(l));return[...this.sessions,...[...i,...e,...r].filter(
o)]}choose(e){e&&(this.focusedBefore=null,this.close(),e.run())}typed(e){this.text=e,this.active=0,this.look(e)}render(){let e=this.choices,{letters:t}=this;return h`<dialog class="palette" aria-label="Go to" @close=${this.
closed} @click=${i=>i.target===i.currentTarget&&this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${e.length>0?`choice-${this.
active}`:u}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.
text}
        @input=${i=>this.typed(i.target.value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${e.map((i,r)=>h`<div id=${`choice-${r}`} role="option" class=${r===this.active?"choice is-active":"\
choice"} aria-selected=${r===this.active?"true":"false"}
        @click=${()=>this.choose(i)} @pointermove=${()=>this.active=r}><span class="choice-kind">${i.kind}</span><span class="choice-name">${nt(i.name,i.kind===
"Session"?this.words:t)}</span><span class="muted">${i.note}</span></div>`)}
      </div>${e.length===0?h`<p class="empty">Nothing matched.</p>`:u}</dialog>`}};c([y({attribute:!1})],J.prototype,"source",2),c([y({attribute:!1})],J.prototype,
"route",2),c([y({attribute:!1})],J.prototype,"commands",2),c([m()],J.prototype,"text",2),c([m()],J.prototype,"sessions",2),c([m()],J.prototype,"active",2),J=c([
k("pt-palette")],J);var Ct=class extends x{constructor(){super(...arguments);this.focusedBefore=null;this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}toggle(){
let e=this.querySelector("dialog");if(e){if(e.open)return e.close();this.focusedBefore=document.activeElement,e.showModal()}}render(){let e=()=>this.querySelector(
"dialog")?.close();return h`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${t=>t.target===t.currentTarget&&e()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${e}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${$i.map(({title:t,rows:i})=>h`<section><h3>${t}</h3><dl>${i.map(([r,o])=>h`<dt>${r.
split(" ").map(a=>a==="\u2026"?a:h`<kbd>${a}</kbd>`)}</dt><dd>${o}</dd>`)}</dl></section>`)}</div>
    </dialog>`}};Ct=c([k("pt-help")],Ct);var Li=12,re=class extends x{constructor(){super(...arguments);this.asked=null;this.family=!1;this.failure="";this.isWorking=!1;this.key="";this.focusedBefore=null;
this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}async ask(e){let t=this.querySelector("dialog");if(!t||t.open)return;this.focusedBefore=
document.activeElement;let i=await this.source.deletion(e);Object.assign(this,{key:e,asked:i,family:!1,failure:i.refused??"",isWorking:!1}),await this.updateComplete,
t.showModal(),this.querySelector("[data-cancel]")?.focus()}isTaking(e){return this.isWorking&&this.key===e}close(){this.querySelector("dialog")?.close()}async carryOut(){
if(!this.isWorking){this.isWorking=!0;try{let e=await this.source.remove(this.key,this.family);this.close(),L(Pr(e)),this.dispatchEvent(new CustomEvent("deleted",
{detail:this.key}))}catch(e){this.failure=C(e)}finally{this.isWorking=!1}}}forks(e){if(e.forkCount===0&&e.records===0)return u;let t=e.forkCount-Math.min(e.forks.
length,Li),i=e.forkCount===1?"fork":w(e.forkCount,"fork"),r=e.records===1?"record of a sub-agent":w(e.records,"record of a sub-agent","records of sub-agents"),o=[
e.forkCount>0?i:"",e.records>0?r:""].filter(Boolean).join(" and ");return h`<label class="check"><input type="checkbox" .checked=${this.family} @change=${a=>this.
family=a.target.checked}> Delete its ${o} too</label>
      ${e.forkCount>0?h`<ul class="forks">${e.forks.slice(0,Li).map(({title:a})=>h`<li>${S(a,90)}</li>`)}${t>0?h`<li>and ${w(t,"more fork")}</li>`:u}</ul>
        <p class="muted">${this.family?"":e.forkCount===1?"Leave this unchecked to keep the fork.":"Leave this unchecked to keep the forks."}</p>`:u}`}render(){
let{asked:e}=this;return h`<dialog class="question" aria-labelledby="delete-title" @close=${this.closed}>
      <h2 id="delete-title">Delete this session?</h2>
      ${e?h`<p class="question-what">${S(e.title,160)}</p>
        <p>It will be moved to the trash.</p>
        ${this.forks(e)}`:u}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:u}
      <div class="question-buttons"><button data-cancel @click=${()=>this.close()}>Cancel</button>
        <button class="is-dangerous" ?disabled=${this.isWorking||!!e?.refused} @click=${()=>{this.carryOut()}}>Delete</button></div>
    </dialog>`}};c([y({attribute:!1})],re.prototype,"source",2),c([m()],re.prototype,"asked",2),c([m()],re.prototype,"family",2),c([m()],re.prototype,"failure",
2),c([m()],re.prototype,"isWorking",2),re=c([k("pt-delete")],re);function Pr({sessions:n,canRestore:s}){let e=n===1?"Session moved to the trash":`${w(n,"session")}\
 moved to the trash`;return s?`${e}; \`pitree restore\` brings ${n===1?"it":"them"} back`:e}function us(n,s=""){let e=document.createElement("a");e.href=n,e.download=s,e.click()}function _i(n,s){let e=URL.createObjectURL(n);us(e,s),setTimeout(()=>URL.revokeObjectURL(
e),6e4)}function Cr(n){let s=document.getElementById(n);if(!s)throw new q("A part of this file is missing.","It may have been cut off while it was copied; export it aga\
in.");let e=atob((s.textContent??"").trim()),t=new Uint8Array(e.length);for(let i=0;i<e.length;i+=1)t[i]=e.charCodeAt(i);return t}function Oi(n){return new Response(
new Blob([Cr(n)]).stream().pipeThrough(new DecompressionStream("deflate-raw")))}async function Fi(n){try{return await n}catch{throw new q("A part of this file i\
s damaged.","Export it again.")}}async function Ce(n){return Fi(Oi(n).json())}async function Ii(n){return Fi(Oi(n).blob())}var Lt=class{constructor(s,e){this.held=
new Map;this.name=s,this.limit=e}peek(s){return this.held.get(s)??Ce(this.name(s))}get(s){let e=this.held.get(s)??Ce(this.name(s));this.held.delete(s),this.held.
set(s,e);for(let t of this.held.keys()){if(this.held.size<=this.limit)break;this.held.delete(t)}return e}};var Lr=/^(?:role|tool|model|cwd|on|before|after|is):(?:"[^"]*"|\S+)$/,_r=/[a-z]+:"[^"]+"(?=\s|$)|"([^"]+)"(?=\s|$)|\S+/g;function qi(n){let[s=""]=n.toLowerCase().
split(/(?:^|(?<=\s))re:/,1);return[...s.matchAll(_r)].map(([t,i])=>i??(Lr.test(t)?"":t.replace(/(?<=.)\*$/,""))).map(t=>t.trim()).filter(Boolean)}var ms="pitree-index",Or="pitree-requests",Fr="pitree-contexts",Hi="pitree-lines",Ir=24,qr=5e3,Ni=1,Di=2,Ui=4,Hr=8,Nr=16,ps=class{constructor(s){this.lastPath=null;
this.drawn=null;this.depths=new Map;this.branches=new Map;this.children=new Map;this.requests=null;this.contexts=null;this.index=s,this.labels=new Map(s.light.labels),
this.lines=new Map(s.light.lines),this.blocks=new Lt(e=>`pitree-rows-${e}`,Ir),s.light.parents.forEach((e,t)=>{let i=this.children.get(e);i?i.push(t):this.children.
set(e,[t])})}passes(s,e){let t=this.index.light.flags[s]??0;switch(e){case"all":return!0;case"user":return(t&Nr)!==0;case"labeled":return this.labels.has(s);case"\
no-tools":return(t&(Ui|Hr))===0;case"default":return(t&Ui)===0}}path(s,e){let t=[];for(let i=s??this.index.session.leaf;i!=null;i=this.index.light.parents[i]??null)
t.push(i);return Int32Array.from(t.reverse().filter(i=>this.passes(i,e)))}leafOf(s){if(s>=this.index.light.ids.length)return null;if(((this.index.light.flags[s]??
0)&Ni)!==0)return this.index.session.leaf;let e=s;for(let t=this.children.get(e);t;t=this.children.get(e))e=t.at(-1)??e;return e}async row(s,e){let{light:t,blockRows:i,
kinds:r}=this.index,o=t.flags[s]??0,a={at:s,parent:t.parents[s]??null,id:t.ids[s]??"",kind:r[t.kinds[s]??0]??"",label:this.labels.get(s)??null,isError:(o&Di)!==
0,summary:t.summaries[s]??""};if(e)return xe(a);let d=(await this.blocks.get(Math.floor(s/i)))[s%i];if(!d)throw new q("An entry of this file is missing.","Expor\
t it again.");return xe({...d,...a})}order(){if(this.drawn??=Int32Array.from(this.index.order??this.inFileOrder()),this.depths.size>0)return this.drawn;for(let s of this.
drawn){let e=this.index.light.parents[s]??null,t=e!==null&&(this.children.get(e)?.length??0)===1;this.depths.set(s,e===null?0:(this.depths.get(e)??0)+(t?0:1)),this.
branches.set(s,t?this.branches.get(e)??e:s)}return this.drawn}inFileOrder(){let s=[],e=[...this.children.get(null)??[]].reverse();for(let t=e.pop();t!==void 0;t=
e.pop())s.push(t),e.push(...[...this.children.get(t)??[]].reverse());return s}treeRows(s){let e=new Set;return[...this.order()].filter(t=>this.passes(t,s)).map(
t=>{let i=this.branches.get(t)??t,r=!e.has(i);return e.add(i),{at:t,begins:r}})}treeRow({at:s,begins:e}){let{light:t,kinds:i,session:r}=this.index,o=t.flags[s]??
0,a=i[t.kinds[s]??0]??"";return{at:s,id:t.ids[s]??"",depth:this.depths.get(s)??0,begins:e,kind:a,role:a==="user"||a==="assistant"?a:null,text:this.lines.get(s)??
t.summaries[s]??"",label:this.labels.get(s)??null,active:(o&Ni)!==0,isLeaf:s===r.leaf,isError:(o&Di)!==0,children:this.children.get(s)?.length??0}}async request(s){
(this.index.requests?.shown??0)>0&&(this.requests??=Ce(Or));let e=(await this.requests)?.find(t=>t.at===s);if(!e)throw new q("The request for this reply is not \
in this file.",Bi(this.index));return e}async context(s){let e=s??this.index.session.leaf;(this.index.contexts?.shown??0)>0&&(this.contexts??=Ce(Fr));let t=(await this.
contexts)?.find(i=>i.leaf===e);if(!t)throw new q("The context at this entry is not in this file.",jr(this.index));return t}part({leaf:s,filter:e,from:t,count:i,
brief:r=!1}){let o=`${s} ${e}`;return this.lastPath?.name!==o&&(this.lastPath={name:o,path:this.path(s,e)}),Promise.all([...this.lastPath.path.subarray(t,t+i)].
map(a=>this.row(a,r)))}async opening({leaf:s,filter:e,at:t,count:i}){let r=this.path(s,e),o=t===null?0:Math.max(0,r.indexOf(t)),a=o-o%i;return{facts:this.facts,
path:r,from:a,rows:await this.part({leaf:s,filter:e,from:a,count:i})}}async find(s,e){let t=qi(s),i={total:0,isAll:!1,words:t,hits:[]},r=t.length===0?0:this.index.
light.ids.length;for(let o=0;o<r;o+=this.index.blockRows){let a=await this.blocks.peek(o/this.index.blockRows);if(a.forEach(({body:l=[]},d)=>Dr(i,o+d,l)),!e(i,Math.
min(1,(o+a.length)/r)))return i}return{...i,isAll:i.hits.length===i.total}}get facts(){return{...this.index.session,canSave:this.index.lines!==void 0}}async save(){
document.readyState==="loading"&&await new Promise(r=>document.addEventListener("DOMContentLoaded",r,{once:!0}));let{blocks:s,bytes:e}=await Ce(Hi),t=[];for(let r=0;r<
s;r+=1)t.push(await Ii(`${Hi}-${r}`));let i=new Blob(t,{type:"application/jsonl"});if(i.size!==e)throw new q("A part of this file is missing.","Export it again.");
_i(i,this.index.lines??"session.jsonl")}};function Dr(n,s,e){let t=Ur(e),i=t.toLowerCase();if(!n.words.every(l=>i.includes(l))||(n.total+=1,n.hits.length>=qr))return;
let[r=""]=n.words,o=i.indexOf(r),a=Math.max(0,o-40);n.hits.push({at:s,snippet:{text:t.slice(a,o+120),marks:[[o-a,o-a+r.length]]}})}function Ur(n){let s="",e=[...n].
reverse();for(;e.length>0;){let t=e.pop();if(typeof t=="string")s+=t;else if(Array.isArray(t)){s+=s&&!s.endsWith(" ")&&t[0]!=="span"&&t[0]!=="code"?" ":"";for(let i of t.
slice(1).reverse())(typeof i=="string"||Array.isArray(i))&&e.push(i)}}return s}var Br=new q("This page is a file, so there is no server to ask.","Run `pitree se\
rve` for that.");function Bi({requests:n}){if(!n)return"";let{shown:s,replies:e}=n;return s===0?"This file has no requests: the context is too long for it. `pit\
ree serve` shows them.":s===e?"This file has the request behind each reply of the current branch.":`This file has the requests behind the last ${f(s)} of ${f(e)}\
 replies of the current branch; \`pitree serve\` shows them all.`}function jr({contexts:n}){let{shown:s,branches:e}=n??{shown:0,branches:0};return`It has the co\
ntext ${s===e?"at the end of each branch":`at the ends of ${f(s)} of ${f(e)} branches`}; \`pitree serve\` shows it at every turn.`}function Kr(n){let s=new Set(
["","lanes","tree"]);return n.contexts&&s.add("context"),n.requests&&s.add("request"),s}async function ji(){let n=await Ce(ms);if(n.format!==1)throw new q("This\
 file is in a format that this page cannot read.","Export it again.");let s=new ps(n),e=()=>Promise.reject(Br);return{hasList:!1,onlyKey:n.session.key,tabs:Kr(n),
canEdit:!1,sessions:()=>Promise.resolve({total:0,offset:0,isGuess:!1,words:[],rows:[]}),projects:()=>Promise.resolve([]),session:()=>Promise.resolve(s.facts),opening:(t,i)=>s.
opening(i),save:()=>s.save(),lanes:(t,i,r)=>Promise.resolve(n.session.lanes.slice(i,i+r)),family:()=>Promise.resolve(n.session.family),marks:()=>Promise.resolve(
n.marks),path:(t,i,r)=>Promise.resolve(s.path(i,r)),rows:(t,i)=>s.part(i),tree:(t,{from:i=0,count:r,filter:o,at:a})=>{let l=s.treeRows(o),d=a===void 0?i:Math.max(
0,l.findIndex(p=>p.at===a)-Math.floor(r/2));return Promise.resolve({total:l.length,from:d,rows:l.slice(d,d+r).map(p=>s.treeRow(p))})},find:(t,i,r)=>s.find(i,r),
context:(t,i)=>s.context(i),requestsHere:Bi(n),request:(t,i)=>s.request(i),spend:e,stats:e,listen:()=>()=>{},rename:e,label:e,goTo:e,deletion:e,remove:e,leafOf:(t,i)=>Promise.
resolve(s.leafOf(i)),entry:(t,i)=>s.row(i,!1),resolve:(t,i)=>Promise.resolve(n.light.ids.indexOf(i))}}function Ki(n){let s=window.pitreeAhead;return window.pitreeAhead=null,s?.address===n?s.response:void 0}function _t(n,s={}){let e=new URLSearchParams;for(let[i,r]of Object.entries(s))r!=null&&r!==""&&r!==!1&&e.set(i,String(r));let t=e.toString();return t?`api/${n}\
?${t}`:`api/${n}`}function Ot(n,s=""){return`sessions/${encodeURIComponent(n)}${s}`}function zi(n,s){return _t(Ot(n,"/opening"),{...s})}var Wi="`pitree serve` was started again, so the address of this page has changed. Open the address that it printed.";async function zr(n){let s=await n.json().
catch(()=>null);if(n.ok&&s!==null)return s;if(n.status===401)throw new q(Wi);let e=s;throw new q(e?.error??`The server answered ${n.status}.`)}async function It(n,s,e=fetch(
n,s)){let t;try{t=await e}catch{throw new q("The server does not answer.","Is `pitree serve` still running?")}return zr(t)}function I(n,s){return It(_t(n,s))}function Ft(n,s){
return It(`api/${n}`,{method:"POST",headers:{"Content-Type":"application/json","X-Pitree":"1"},body:JSON.stringify(s)})}async function Wr(n,s){let e=zi(n,s),{session:t,
path:i,rows:r}=await It(e,void 0,Ki(e));return{facts:t,path:Xt(i.runs),from:r.from,rows:r.rows.map(xe)}}async function Gr(n){let s=_t(Ot(n,"/jsonl"));(await fetch(
s,{method:"HEAD"}).catch(()=>null))?.ok||await It(s),us(s)}var Yr=5e3,Vr=1e4,Xr=18e4;function Qr(n,s){let e,t=0,i=!1,r=Date.now(),o=()=>{e=new EventSource("api/\
events"),e.onopen=()=>{i&&n({changed:[],list:!0,all:!0}),i=!1},e.onmessage=p=>{let{changed:g=[],list:b=!1,all:$=!1}=JSON.parse(String(p.data));n({changed:g,list:b,
all:$})},e.onerror=()=>{i=!0,e.readyState===EventSource.CLOSED&&a()}},a=async()=>{await fetch("api/projects").then(g=>g.status,()=>0)!==401?t=window.setTimeout(
o,Yr):(clearInterval(d),s(Wi))},l=()=>{clearTimeout(t),e.close()},d=setInterval(()=>{let p=Date.now()-r;r=Date.now(),!(p<Xr)&&(i=!0,l(),o())},Vr);return o(),()=>{
clearInterval(d),l()}}function Gi(){let n=!1,s=Ot;return{hasList:!0,onlyKey:"",tabs:new Set(se.map(({tab:e})=>e)),get canEdit(){return n},sessions:async e=>{let t=await I(
"sessions",{...e});return t.canEdit!==void 0&&(n=t.canEdit),t},projects:async()=>(await I("projects")).projects,session:async e=>{let t=await I(s(e,""));return t.
canEdit!==void 0&&(n=t.canEdit),t},opening:async(e,t)=>{let i=await Wr(e,t);return i.facts.canEdit!==void 0&&(n=i.facts.canEdit),i},save:Gr,lanes:async(e,t,i)=>(await I(
s(e,"/lanes"),{from:t,count:i})).lanes,family:async e=>(await I(s(e,"/family"))).members,marks:async e=>(await I(s(e,"/marks"))).marks,path:async(e,t,i)=>Xt((await I(
s(e,"/path"),{leaf:t,filter:i})).runs),rows:async(e,{leaf:t,filter:i,from:r,count:o,brief:a=!1})=>(await I(s(e,"/rows"),{leaf:t,filter:i,from:r,count:o,brief:a?
1:null})).rows.map(xe),tree:(e,{from:t,count:i,filter:r,at:o})=>I(s(e,"/tree"),{from:t,count:i,filter:r,at:o}),find:(e,t)=>I(s(e,"/find"),{q:t}),context:(e,t)=>I(
s(e,"/context"),{at:t}),requestsHere:"",request:(e,t,i)=>I(s(e,"/request"),{at:t,from:i}),spend:e=>I("spend",{...e}),stats:()=>I("stats"),listen:Qr,rename:(e,t)=>Ft(
s(e,"/name"),{name:t}),label:(e,t,i)=>Ft(s(e,"/label"),{at:t,label:i}),goTo:(e,t)=>Ft(s(e,"/goto"),{at:t}),deletion:e=>I(s(e,"/deletion")),remove:(e,t)=>Ft(s(e,
"/delete"),{family:t}),leafOf:async(e,t)=>(await I(s(e,"/locate"),{at:t})).leaf,resolve:async(e,t)=>{let i=/^line-(\d+)$/.exec(t);try{return(await I(s(e,"/locat\
e"),i?{line:i[1]}:{id:t})).at}catch{return-1}},entry:async(e,t)=>xe(await I(s(e,"/entry"),{at:t}))}}async function Yi(){return document.getElementById(ms)?ji():Gi()}var qt=["auto","light","dark"];function Ht(){return qt.find(n=>n===At("theme"))??"auto"}function Vi(n){return qt[(qt.indexOf(n)+1)%qt.length]??"auto"}function Nt(n){
document.documentElement.dataset.theme=n,Rt("theme",n),window.dispatchEvent(new Event("theme"))}var Jr={sessions:"Sessions",session:"Session",spend:"Spend",stats:"Stats"},N=class extends x{constructor(){super(...arguments);this.source=null;this.failure="";
this.route=Qe(location.hash);this.listVersion=0;this.ended="";this.message="";this.theme=Ht();this.messageTimer=0;this.routed=()=>{let e=Qe(location.hash);this.
source&&!this.source.hasList&&Object.assign(e,{view:"session",key:this.source.onlyKey});let t=e.view!==this.route.view||e.key!==this.route.key;this.route=e,document.
title=e.view==="session"?document.title:`${Jr[e.view]} \xB7 pitree`,t&&this.updateComplete.then(()=>this.querySelector("main")?.focus({preventScroll:!0}))};this.
clicked=e=>{let i=e.target.closest("a")?.getAttribute("href");!i?.startsWith("#")||e.defaultPrevented||e.button!==0||e.ctrlKey||e.metaKey||e.shiftKey||(e.preventDefault(),
i!==location.hash&&history.pushState(null,"",i),this.routed())};this.toasted=e=>{this.message=e.detail,clearTimeout(this.messageTimer),this.messageTimer=window.
setTimeout(()=>this.message="",2600)};this.askedDelete=e=>v(this.deleting.ask(e.detail));this.pressed=e=>{if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k")this.
palette.open();else if(e.key==="?"&&!Me(e)&&!e.ctrlKey&&!e.metaKey)this.help.toggle();else if(e.key==="Escape"&&Me(e)&&!e.target.closest("dialog"))e.target.blur();else
return;e.preventDefault()};this.deleted=e=>{this.listVersion+=1,this.route.view==="session"&&this.route.key===e.detail&&_(T("sessions"),!0)};this.commands=()=>{
let e=this.session;return[{name:"Show all keys",note:"?",run:()=>this.help.toggle()},{name:"Switch between light and dark",note:this.theme,run:()=>this.switchTheme()},
...this.route.view==="session"&&e?[{name:"Show or hide the tree",note:"",run:()=>e.toggleTree()},{name:"Fold or unfold all messages",note:"O",run:()=>e.conversation?.
foldAll(!e.conversation.isAllFolded)},{name:"Print this branch",note:"",run:()=>e.print()},{name:"Print from this message on",note:"",run:()=>e.printFromHere()},
...e.model?.facts?.canSave?[{name:"Download this session as JSONL",note:"",run:()=>e.save()}]:[]]:[],...this.route.view==="session"&&e?.canEdit?[{name:"Rename t\
his session\u2026",note:"",run:()=>e.rename()},{name:"Save the position at this message",note:"",run:()=>e.savePosition()},{name:"Delete this session\u2026",note:"",
run:()=>v(this.deleting.ask(this.route.key))}]:[]]};this.skip=e=>{e.preventDefault(),e.stopPropagation(),this.querySelector("main")?.focus()}}connectedCallback(){
this.replaceChildren(),super.connectedCallback();for(let e of["popstate","hashchange","route"])window.addEventListener(e,this.routed);window.addEventListener("t\
oast",this.toasted),window.addEventListener("ask-delete",this.askedDelete),window.addEventListener("keydown",this.pressed),document.addEventListener("click",this.
clicked),Yi().then(e=>this.begin(e),e=>this.failure=C(e))}begin(e){this.source=e,e.listen(t=>this.changed(t),t=>this.ended=t),this.routed()}changed(e){(e.all||e.
list||e.changed.length>0)&&(this.listVersion+=1),!this.deleting?.isTaking(this.route.key)&&this.session?.liveChange(e).catch(()=>{})}switchTheme(){this.theme=Vi(
this.theme),Nt(this.theme)}bar(e){let t=i=>this.route.view===i?"page":u;return h`<header class="bar-top">
      <a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      ${e.hasList?h`<a class="brand" href=${T("sessions")}>pitree</a><nav aria-label="Main">
        <a href=${T("sessions")} aria-current=${t("sessions")}>Sessions</a><a href=${T("spend")} aria-current=${t("spend")}>Spend</a><a href=${T("stats")} aria-current=${t(
"stats")}>Stats</a></nav>`:h`<span class="brand">pitree</span>`}
      <span class="spacer"></span>
      <button class="go-to" @click=${()=>this.palette.open()}><span>Go to…</span><kbd>Ctrl K</kbd></button>
      <button class="quiet" title="Light, dark, or as the system" @click=${()=>this.switchTheme()}>${this.theme==="auto"?"Auto":this.theme==="dark"?"Dark":"Ligh\
t"}<span class="hidden"> colors</span></button>
      <button class="quiet" title="Keys (?)" aria-label="Keys" @click=${()=>this.help.toggle()}>?</button>
    </header>`}view(e){switch(this.route.view){case"session":return h`<pt-session .source=${e} .route=${this.route}></pt-session>`;case"spend":return h`<pt-spend .source=${e} .route=${this.
route} .version=${this.listVersion}></pt-spend>`;case"stats":return h`<pt-stats .source=${e} .version=${this.listVersion}></pt-stats>`;default:return h`<pt-sessions .source=${e} .route=${this.
route} .version=${this.listVersion}></pt-sessions>`}}render(){let e=this.source;return e?h`${this.bar(e)}${this.ended?h`<p class="notice is-bad ended" role="alert">${this.
ended}</p>`:u}${this.view(e)}
      <pt-palette .source=${e} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <pt-delete .source=${e} @deleted=${this.deleted}></pt-delete>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message?"toast is-shown":"toast"} role="status">${this.message}</div>`:h`<main class="page-message"><p>${this.failure||"Loading\u2026"}</p></main>`}};
c([m()],N.prototype,"source",2),c([m()],N.prototype,"failure",2),c([m()],N.prototype,"route",2),c([m()],N.prototype,"listVersion",2),c([m()],N.prototype,"ended",
2),c([m()],N.prototype,"message",2),c([m()],N.prototype,"theme",2),c([ae("pt-palette")],N.prototype,"palette",2),c([ae("pt-help")],N.prototype,"help",2),c([ae("\
pt-delete")],N.prototype,"deleting",2),c([ae("pt-session")],N.prototype,"session",2),N=c([k("pt-app")],N);Nt(Ht());
