var Hi=Object.defineProperty;var Ni=Object.getOwnPropertyDescriptor;var u=(r,s,e,t)=>{for(var i=t>1?void 0:t?Ni(s,e):s,n=r.length-1,o;n>=0;n--)(o=r[n])&&(i=(t?o(s,e,i):o(i))||i);return t&&i&&Hi(s,e,i),i};/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var it=globalThis,nt=it.ShadowRoot&&(it.ShadyCSS===void 0||it.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,
cs=Symbol(),hs=new WeakMap,rt=class{constructor(s,e,t){if(this._$cssResult$=!0,t!==cs)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` inst\
ead.");this.cssText=s,this.t=e}get styleSheet(){let s=this.o,e=this.t;if(nt&&s===void 0){let t=e!==void 0&&e.length===1;t&&(s=hs.get(e)),s===void 0&&((this.o=s=
new CSSStyleSheet).replaceSync(this.cssText),t&&hs.set(e,s))}return s}toString(){return this.cssText}},us=r=>new rt(typeof r=="string"?r:r+"",void 0,cs);var ds=(r,s)=>{if(nt)r.adoptedStyleSheets=s.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of s){let t=document.createElement("style"),i=it.litNonce;
i!==void 0&&t.setAttribute("nonce",i),t.textContent=e.cssText,r.appendChild(t)}},qt=nt?r=>r:r=>r instanceof CSSStyleSheet?(s=>{let e="";for(let t of s.cssRules)
e+=t.cssText;return us(e)})(r):r;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:Di,defineProperty:Ui,getOwnPropertyDescriptor:Bi,getOwnPropertyNames:ji,getOwnPropertySymbols:Ki,getPrototypeOf:zi}=Object,ot=globalThis,ps=ot.trustedTypes,
Wi=ps?ps.emptyScript:"",Gi=ot.reactiveElementPolyfillSupport,De=(r,s)=>r,Ue={toAttribute(r,s){switch(s){case Boolean:r=r?Wi:null;break;case Object:case Array:r=
r==null?r:JSON.stringify(r)}return r},fromAttribute(r,s){let e=r;switch(s){case Boolean:e=r!==null;break;case Number:e=r===null?null:Number(r);break;case Object:case Array:
try{e=JSON.parse(r)}catch{e=null}}return e}},at=(r,s)=>!Di(r,s),ms={attribute:!0,type:String,converter:Ue,reflect:!1,useDefault:!1,hasChanged:at};Symbol.metadata??=
Symbol("metadata"),ot.litPropertyMetadata??=new WeakMap;var J=class extends HTMLElement{static addInitializer(s){this._$Ei(),(this.l??=[]).push(s)}static get observedAttributes(){
return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(s,e=ms){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(s)&&
((e=Object.create(e)).wrapped=!0),this.elementProperties.set(s,e),!e.noAccessor){let t=Symbol(),i=this.getPropertyDescriptor(s,t,e);i!==void 0&&Ui(this.prototype,
s,i)}}static getPropertyDescriptor(s,e,t){let{get:i,set:n}=Bi(this.prototype,s)??{get(){return this[e]},set(o){this[e]=o}};return{get:i,set(o){let a=i?.call(this);
n?.call(this,o),this.requestUpdate(s,a,t)},configurable:!0,enumerable:!0}}static getPropertyOptions(s){return this.elementProperties.get(s)??ms}static _$Ei(){if(this.
hasOwnProperty(De("elementProperties")))return;let s=zi(this);s.finalize(),s.l!==void 0&&(this.l=[...s.l]),this.elementProperties=new Map(s.elementProperties)}static finalize(){
if(this.hasOwnProperty(De("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(De("properties"))){let e=this.properties,t=[...ji(e),...Ki(e)];
for(let i of t)this.createProperty(i,e[i])}let s=this[Symbol.metadata];if(s!==null){let e=litPropertyMetadata.get(s);if(e!==void 0)for(let[t,i]of e)this.elementProperties.
set(t,i)}this._$Eh=new Map;for(let[e,t]of this.elementProperties){let i=this._$Eu(e,t);i!==void 0&&this._$Eh.set(i,e)}this.elementStyles=this.finalizeStyles(this.
styles)}static finalizeStyles(s){let e=[];if(Array.isArray(s)){let t=new Set(s.flat(1/0).reverse());for(let i of t)e.unshift(qt(i))}else s!==void 0&&e.push(qt(s));
return e}static _$Eu(s,e){let t=e.attribute;return t===!1?void 0:typeof t=="string"?t:typeof s=="string"?s.toLowerCase():void 0}constructor(){super(),this._$Ep=
void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(s=>this.enableUpdating=s),this._$AL=new Map,this._$E_(),
this.requestUpdate(),this.constructor.l?.forEach(s=>s(this))}addController(s){(this._$EO??=new Set).add(s),this.renderRoot!==void 0&&this.isConnected&&s.hostConnected?.()}removeController(s){
this._$EO?.delete(s)}_$E_(){let s=new Map,e=this.constructor.elementProperties;for(let t of e.keys())this.hasOwnProperty(t)&&(s.set(t,this[t]),delete this[t]);s.
size>0&&(this._$Ep=s)}createRenderRoot(){let s=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return ds(s,this.constructor.elementStyles),
s}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(s=>s.hostConnected?.())}enableUpdating(s){}disconnectedCallback(){
this._$EO?.forEach(s=>s.hostDisconnected?.())}attributeChangedCallback(s,e,t){this._$AK(s,t)}_$ET(s,e){let t=this.constructor.elementProperties.get(s),i=this.constructor.
_$Eu(s,t);if(i!==void 0&&t.reflect===!0){let n=(t.converter?.toAttribute!==void 0?t.converter:Ue).toAttribute(e,t.type);this._$Em=s,n==null?this.removeAttribute(
i):this.setAttribute(i,n),this._$Em=null}}_$AK(s,e){let t=this.constructor,i=t._$Eh.get(s);if(i!==void 0&&this._$Em!==i){let n=t.getPropertyOptions(i),o=typeof n.
converter=="function"?{fromAttribute:n.converter}:n.converter?.fromAttribute!==void 0?n.converter:Ue;this._$Em=i;let a=o.fromAttribute(e,n.type);this[i]=a??this.
_$Ej?.get(i)??a,this._$Em=null}}requestUpdate(s,e,t,i=!1,n){if(s!==void 0){let o=this.constructor;if(i===!1&&(n=this[s]),t??=o.getPropertyOptions(s),!((t.hasChanged??
at)(n,e)||t.useDefault&&t.reflect&&n===this._$Ej?.get(s)&&!this.hasAttribute(o._$Eu(s,t))))return;this.C(s,e,t)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(s,e,{
useDefault:t,reflect:i,wrapped:n},o){t&&!(this._$Ej??=new Map).has(s)&&(this._$Ej.set(s,o??e??this[s]),n!==!0||o!==void 0)||(this._$AL.has(s)||(this.hasUpdated||
t||(e=void 0),this._$AL.set(s,e)),i===!0&&this._$Em!==s&&(this._$Eq??=new Set).add(s))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.
reject(e)}let s=this.scheduleUpdate();return s!=null&&await s,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)
return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,n]of this._$Ep)this[i]=n;this._$Ep=void 0}let t=this.constructor.elementProperties;
if(t.size>0)for(let[i,n]of t){let{wrapped:o}=n,a=this[i];o!==!0||this._$AL.has(i)||a===void 0||this.C(i,void 0,n,a)}}let s=!1,e=this._$AL;try{s=this.shouldUpdate(
e),s?(this.willUpdate(e),this._$EO?.forEach(t=>t.hostUpdate?.()),this.update(e)):this._$EM()}catch(t){throw s=!1,this._$EM(),t}s&&this._$AE(e)}willUpdate(s){}_$AE(s){
this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(s)),this.updated(s)}_$EM(){this._$AL=new Map,this.isUpdatePending=
!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(s){return!0}update(s){this._$Eq&&=this._$Eq.forEach(e=>this.
_$ET(e,this[e])),this._$EM()}updated(s){}firstUpdated(s){}};J.elementStyles=[],J.shadowRootOptions={mode:"open"},J[De("elementProperties")]=new Map,J[De("finali\
zed")]=new Map,Gi?.({ReactiveElement:J}),(ot.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Nt=globalThis,fs=r=>r,lt=Nt.trustedTypes,gs=lt?lt.createPolicy("lit-html",{createHTML:r=>r}):void 0,Dt="$lit$",ee=`lit$${Math.random().toFixed(9).slice(2)}\
$`,Ut="?"+ee,Yi=`<${Ut}>`,ve=document,je=()=>ve.createComment(""),Ke=r=>r===null||typeof r!="object"&&typeof r!="function",Bt=Array.isArray,ks=r=>Bt(r)||typeof r?.[Symbol.
iterator]=="function",Ht=`[ 	
\f\r]`,Be=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,ys=/-->/g,vs=/>/g,ge=RegExp(`>|${Ht}(?:([^\\s"'>=/]+)(${Ht}*=${Ht}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),bs=/'/g,$s=/"/g,xs=/^(?:script|style|textarea|title)$/i,jt=r=>(s,...e)=>({_$litType$:r,strings:s,values:e}),h=jt(1),O=jt(2),jn=jt(
3),B=Symbol.for("lit-noChange"),d=Symbol.for("lit-nothing"),ws=new WeakMap,ye=ve.createTreeWalker(ve,129);function Ss(r,s){if(!Bt(r)||!r.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return gs!==void 0?gs.createHTML(s):s}var Es=(r,s)=>{let e=r.length-1,t=[],i,n=s===2?"<svg>":s===3?"<math>":"",o=Be;for(let a=0;a<
e;a++){let l=r[a],c,p,g=-1,b=0;for(;b<l.length&&(o.lastIndex=b,p=o.exec(l),p!==null);)b=o.lastIndex,o===Be?p[1]==="!--"?o=ys:p[1]!==void 0?o=vs:p[2]!==void 0?(xs.
test(p[2])&&(i=RegExp("</"+p[2],"g")),o=ge):p[3]!==void 0&&(o=ge):o===ge?p[0]===">"?(o=i??Be,g=-1):p[1]===void 0?g=-2:(g=o.lastIndex-p[2].length,c=p[1],o=p[3]===
void 0?ge:p[3]==='"'?$s:bs):o===$s||o===bs?o=ge:o===ys||o===vs?o=Be:(o=ge,i=void 0);let $=o===ge&&r[a+1].startsWith("/>")?" ":"";n+=o===Be?l+Yi:g>=0?(t.push(c),
l.slice(0,g)+Dt+l.slice(g)+ee+$):l+ee+(g===-2?a:$)}return[Ss(r,n+(r[e]||"<?>")+(s===2?"</svg>":s===3?"</math>":"")),t]},ze=class r{constructor({strings:s,_$litType$:e},t){
let i;this.parts=[];let n=0,o=0,a=s.length-1,l=this.parts,[c,p]=Es(s,e);if(this.el=r.createElement(c,t),ye.currentNode=this.el.content,e===2||e===3){let g=this.
el.content.firstChild;g.replaceWith(...g.childNodes)}for(;(i=ye.nextNode())!==null&&l.length<a;){if(i.nodeType===1){if(i.hasAttributes())for(let g of i.getAttributeNames())
if(g.endsWith(Dt)){let b=p[o++],$=i.getAttribute(g).split(ee),E=/([.?@])?(.*)/.exec(b);l.push({type:1,index:n,name:E[2],strings:$,ctor:E[1]==="."?ct:E[1]==="?"?
ut:E[1]==="@"?dt:$e}),i.removeAttribute(g)}else g.startsWith(ee)&&(l.push({type:6,index:n}),i.removeAttribute(g));if(xs.test(i.tagName)){let g=i.textContent.split(
ee),b=g.length-1;if(b>0){i.textContent=lt?lt.emptyScript:"";for(let $=0;$<b;$++)i.append(g[$],je()),ye.nextNode(),l.push({type:2,index:++n});i.append(g[b],je())}}}else if(i.
nodeType===8)if(i.data===Ut)l.push({type:2,index:n});else{let g=-1;for(;(g=i.data.indexOf(ee,g+1))!==-1;)l.push({type:7,index:n}),g+=ee.length-1}n++}}static createElement(s,e){
let t=ve.createElement("template");return t.innerHTML=s,t}};function be(r,s,e=r,t){if(s===B)return s;let i=t!==void 0?e._$Co?.[t]:e._$Cl,n=Ke(s)?void 0:s._$litDirective$;
return i?.constructor!==n&&(i?._$AO?.(!1),n===void 0?i=void 0:(i=new n(r),i._$AT(r,e,t)),t!==void 0?(e._$Co??=[])[t]=i:e._$Cl=i),i!==void 0&&(s=be(r,i._$AS(r,s.
values),i,t)),s}var ht=class{constructor(s,e){this._$AV=[],this._$AN=void 0,this._$AD=s,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(s){let{el:{content:e},parts:t}=this._$AD,i=(s?.creationScope??ve).importNode(e,!0);ye.currentNode=i;let n=ye.nextNode(),o=0,a=0,l=t[0];for(;l!==void 0;){
if(o===l.index){let c;l.type===2?c=new Me(n,n.nextSibling,this,s):l.type===1?c=new l.ctor(n,l.name,l.strings,this,s):l.type===6&&(c=new pt(n,this,s)),this._$AV.
push(c),l=t[++a]}o!==l?.index&&(n=ye.nextNode(),o++)}return ye.currentNode=ve,i}p(s){let e=0;for(let t of this._$AV)t!==void 0&&(t.strings!==void 0?(t._$AI(s,t,
e),e+=t.strings.length-2):t._$AI(s[e])),e++}},Me=class r{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(s,e,t,i){this.type=2,this._$AH=d,this._$AN=void 0,
this._$AA=s,this._$AB=e,this._$AM=t,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let s=this._$AA.parentNode,e=this._$AM;return e!==void 0&&s?.nodeType===
11&&(s=e.parentNode),s}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(s,e=this){s=be(this,s,e),Ke(s)?s===d||s==null||s===""?(this._$AH!==d&&
this._$AR(),this._$AH=d):s!==this._$AH&&s!==B&&this._(s):s._$litType$!==void 0?this.$(s):s.nodeType!==void 0?this.T(s):ks(s)?this.k(s):this._(s)}O(s){return this.
_$AA.parentNode.insertBefore(s,this._$AB)}T(s){this._$AH!==s&&(this._$AR(),this._$AH=this.O(s))}_(s){this._$AH!==d&&Ke(this._$AH)?this._$AA.nextSibling.data=s:this.
T(ve.createTextNode(s)),this._$AH=s}$(s){let{values:e,_$litType$:t}=s,i=typeof t=="number"?this._$AC(s):(t.el===void 0&&(t.el=ze.createElement(Ss(t.h,t.h[0]),this.
options)),t);if(this._$AH?._$AD===i)this._$AH.p(e);else{let n=new ht(i,this),o=n.u(this.options);n.p(e),this.T(o),this._$AH=n}}_$AC(s){let e=ws.get(s.strings);return e===
void 0&&ws.set(s.strings,e=new ze(s)),e}k(s){Bt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,t,i=0;for(let n of s)i===e.length?e.push(t=new r(this.O(je()),
this.O(je()),this,this.options)):t=e[i],t._$AI(n),i++;i<e.length&&(this._$AR(t&&t._$AB.nextSibling,i),e.length=i)}_$AR(s=this._$AA.nextSibling,e){for(this._$AP?.(
!1,!0,e);s!==this._$AB;){let t=fs(s).nextSibling;fs(s).remove(),s=t}}setConnected(s){this._$AM===void 0&&(this._$Cv=s,this._$AP?.(s))}},$e=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(s,e,t,i,n){this.type=1,this._$AH=d,this._$AN=void 0,this.element=s,this.name=e,this._$AM=i,this.options=
n,t.length>2||t[0]!==""||t[1]!==""?(this._$AH=Array(t.length-1).fill(new String),this.strings=t):this._$AH=d}_$AI(s,e=this,t,i){let n=this.strings,o=!1;if(n===void 0)
s=be(this,s,e,0),o=!Ke(s)||s!==this._$AH&&s!==B,o&&(this._$AH=s);else{let a=s,l,c;for(s=n[0],l=0;l<n.length-1;l++)c=be(this,a[t+l],e,l),c===B&&(c=this._$AH[l]),
o||=!Ke(c)||c!==this._$AH[l],c===d?s=d:s!==d&&(s+=(c??"")+n[l+1]),this._$AH[l]=c}o&&!i&&this.j(s)}j(s){s===d?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,s??"")}},ct=class extends $e{constructor(){super(...arguments),this.type=3}j(s){this.element[this.name]=s===d?void 0:s}},ut=class extends $e{constructor(){
super(...arguments),this.type=4}j(s){this.element.toggleAttribute(this.name,!!s&&s!==d)}},dt=class extends $e{constructor(s,e,t,i,n){super(s,e,t,i,n),this.type=
5}_$AI(s,e=this){if((s=be(this,s,e,0)??d)===B)return;let t=this._$AH,i=s===d&&t!==d||s.capture!==t.capture||s.once!==t.once||s.passive!==t.passive,n=s!==d&&(t===
d||i);i&&this.element.removeEventListener(this.name,this,t),n&&this.element.addEventListener(this.name,this,s),this._$AH=s}handleEvent(s){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,s):this._$AH.handleEvent(s)}},pt=class{constructor(s,e,t){this.element=s,this.type=6,this._$AN=void 0,this.
_$AM=e,this.options=t}get _$AU(){return this._$AM._$AU}_$AI(s){be(this,s)}},Ts={M:Dt,P:ee,A:Ut,C:1,L:Es,R:ht,D:ks,V:be,I:Me,H:$e,N:ut,U:dt,B:ct,F:pt},Vi=Nt.litHtmlPolyfillSupport;
Vi?.(ze,Me),(Nt.litHtmlVersions??=[]).push("3.3.3");var As=(r,s,e)=>{let t=e?.renderBefore??s,i=t._$litPart$;if(i===void 0){let n=e?.renderBefore??null;t._$litPart$=
i=new Me(s.insertBefore(je(),n),n,void 0,e??{})}return i._$AI(r),i};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Kt=globalThis,oe=class extends J{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let s=super.createRenderRoot();
return this.renderOptions.renderBefore??=s.firstChild,s}update(s){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(
s),this._$Do=As(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),
this._$Do?.setConnected(!1)}render(){return B}};oe._$litElement$=!0,oe.finalized=!0,Kt.litElementHydrateSupport?.({LitElement:oe});var Xi=Kt.litElementPolyfillSupport;
Xi?.({LitElement:oe});(Kt.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var k=r=>(s,e)=>{e!==void 0?e.addInitializer(()=>{customElements.define(r,s)}):customElements.define(r,s)};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Qi={attribute:!0,type:String,converter:Ue,reflect:!1,hasChanged:at},Zi=(r=Qi,s,e)=>{let{kind:t,metadata:i}=e,n=globalThis.litPropertyMetadata.get(i);if(n===
void 0&&globalThis.litPropertyMetadata.set(i,n=new Map),t==="setter"&&((r=Object.create(r)).wrapped=!0),n.set(e.name,r),t==="accessor"){let{name:o}=e;return{set(a){
let l=s.get.call(this);s.set.call(this,a),this.requestUpdate(o,l,r,!0,a)},init(a){return a!==void 0&&this.C(o,void 0,r,a),a}}}if(t==="setter"){let{name:o}=e;return function(a){
let l=this[o];s.call(this,a),this.requestUpdate(o,l,r,!0,a)}}throw Error("Unsupported decorator location: "+t)};function y(r){return(s,e)=>typeof e=="object"?Zi(
r,s,e):((t,i,n)=>{let o=i.hasOwnProperty(n);return i.constructor.createProperty(n,t),o?Object.getOwnPropertyDescriptor(i,n):void 0})(r,s,e)}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function m(r){return y({...r,state:!0,attribute:!1})}/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 *//**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var we=(r,s,e)=>(e.configurable=!0,e.enumerable=!0,Reflect.decorate&&typeof s!="object"&&Object.defineProperty(r,s,e),e);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */function ae(r,s){return(e,t,i)=>{let n=o=>o.renderRoot?.querySelector(r)??null;if(s){let{get:o,set:a}=typeof t=="object"?e:i??(()=>{let l=Symbol();return{get(){
return this[l]},set(c){this[l]=c}}})();return we(e,t,{get(){let l=o.call(this);return l===void 0&&(l=n(this),(l!==null||this.hasUpdated)&&a.call(this,l)),l}})}return we(
e,t,{get(){return n(this)}})}}/**
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
 */var mt={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},ft=r=>(...s)=>({_$litDirective$:r,values:s}),Pe=class{constructor(s){}get _$AU(){
return this._$AM._$AU}_$AT(s,e,t){this._$Ct=s,this._$AM=e,this._$Ci=t}_$AS(s,e){return this.update(s,e)}update(s,e){return this.render(...e)}};var zt=class extends Pe{constructor(s){if(super(s),s.type!==mt.ATTRIBUTE||s.name!=="style")throw new Error("styles() belongs into `style`")}render(s){return B}update(s,[
e]){let{style:t}=s.element;for(let[i,n]of Object.entries(e))t.setProperty(i,n);return B}},R=ft(zt);function Wt(r){let s=10**Math.floor(Math.log10(r/2)),e=[5,2,1].map(t=>t*s).find(t=>r/t>=2)??s;return Array.from({length:Math.floor(r/e)+1},(t,i)=>i*e)}function We(r,s=!1){
let e=Math.max(1e-9,...r.map(({value:t})=>t));return h`<div class=${s?"bars is-wide":"bars"}>${r.map(({name:t,title:i,value:n,shown:o,note:a,link:l})=>{let c=h`<span class="bar-name" title=${i}>${t}</span><span class="bar-value">${o}${a?
h` <small>${a}</small>`:d}</span>
      <span class="bar-fill series-0" style=${R({width:`${n/e*100}%`})}></span>`;return l===null?h`<div class="bar">${c}</div>`:h`<a class="bar" href=${l}>${c}</a>`})}</div>`}
function gt(r,s,e,t){let i=Math.max(1e-9,...r.map(({value:o})=>o)),n=h`<div class="chart-axis" aria-hidden="true">${Wt(i).map(o=>h`<span style=${R({"--at":String(
1-o/i)})}>${t(o)}</span>`)}</div>`;return h`<div class="standing-frame">${n}<div class="standing" role="group" aria-label=${s}>${r.map((o,a)=>{let l=`${o.title}\
: ${o.shown}`,c=o.value>0?`max(2px, ${o.value/i*100}%)`:"0",p=h`<span class="column-fill" style=${R({height:c})}></span><span class="tick" aria-hidden="true">${e(
o,a)}</span>`;return o.link===null?h`<span class="column" role="img" aria-label=${l} title=${l}>${p}</span>`:h`<a class="column" href=${o.link} aria-label=${l} title=${l}>${p}</a>`})}</div></div>`}
function Rs(r){if(!r||r.every(t=>t===0))return h`<span class="spark"></span>`;let s=Math.max(...r),e=r.map((t,i)=>t===0?"":`M${i*3+1} 16v${-Math.max(1.5,t/s*15)}`).
join("");return h`<svg class="spark" width="72" height="16" viewBox="0 0 72 16" aria-hidden="true"><path d=${e}></path></svg>`}var q=class extends Error{constructor(s,e=null){super(s),this.hint=e}};function Ce(r){return(r.title??"").replace(/^user: /,"")||"Untitled branch"}function C(r){
return r instanceof q?r.hint?`${r.message} ${r.hint}`:r.message:r instanceof Error?r.message:String(r)}function Ms(r){let s=r.reduce((i,[,n])=>i+n,0),e=new Int32Array(
s),t=0;for(let[i,n]of r)for(let o=0;o<n;o+=1)e[t++]=i+o;return e}function Le(r){return{at:r.at??0,parent:r.parent??null,id:r.id??"",kind:r.kind??"note",who:r.who??
"",what:r.what??null,particulars:r.particulars??[],label:r.label??null,time:r.time??null,isError:!!r.isError,isFolded:!!r.isFolded,summary:r.summary??"",body:r.
body??[],calls:r.calls??[]}}var x=class extends oe{createRenderRoot(){return this}};function le(r){let s=document.getElementById("announcer");s&&s.textContent!==r&&(s.textContent=r)}function L(r){
window.dispatchEvent(new CustomEvent("toast",{detail:r}))}function v(r){r.catch(s=>L(C(s)))}function K(r,s){let e=0;return(...t)=>{clearTimeout(e),e=window.setTimeout(
()=>s(...t),r)}}async function z(r){try{await navigator.clipboard.writeText(r)}catch{let s=document.createElement("textarea");s.value=r,document.body.append(s),
s.select(),document.execCommand("copy"),s.remove()}}var Ps=new Intl.NumberFormat("en-US"),Ji=new Intl.NumberFormat("en-US",{notation:"compact",maximumFractionDigits:1}),Cs=new Intl.DateTimeFormat("en-US",{hour:"n\
umeric",minute:"2-digit"}),er=new Intl.DateTimeFormat("en-US",{month:"short",day:"numeric"}),tr=new Intl.DateTimeFormat("en-US",{year:"numeric",month:"short",day:"\
numeric"}),sr=new Intl.DateTimeFormat("en-US",{dateStyle:"medium",timeStyle:"medium"}),ir=864e5;function f(r){return Ps.format(r)}function P(r){return r<1e3?Ps.
format(Math.round(r)):Ji.format(r).toLowerCase()}function he(r){return`entry ${f(r+1)}`}function w(r,s,e=`${s}s`){return`${f(r)} ${r===1?s:e}`}function ke(r){return r===
null?"\u2013":r===0?"$0":r<.01?"<$0.01":`$${r.toLocaleString("en-US",{minimumFractionDigits:2,maximumFractionDigits:2})}`}function ce(r){if(r===null)return"";let s=new Date(
r),e=new Date;return s.toDateString()===e.toDateString()?Cs.format(s):e.getTime()-r<300*ir?er.format(s):tr.format(s)}function Ls(r){return r===null?"":Cs.format(
new Date(r))}function xe(r){return r===null?"":sr.format(new Date(r))}function D(r,s=2){let e=r.split("/").filter(Boolean);return e.length<=s?r:e.slice(-s).join(
"/")}function S(r,s=160){let e=r.replace(/\s+/g," ").trim();return e.length>s?`${e.slice(0,s-1)}\u2026`:e}var Se=1e3,te=240,rr=250,nr=10,W=class extends x{constructor(){super(...arguments);this.at=null;this.facts=null;this.selected=-1;this.turn=null;this.failure="";
this.loadedAs="";this.pressed=e=>{let t=yt(this.facts?.turns??[]),n={ArrowLeft:-1,ArrowRight:1,PageUp:-10,PageDown:10,Home:-t.length,End:t.length}[e.key],o=t[this.
selected];if(e.key==="Enter"&&o)this.pick(o);else if(n!==void 0)this.selected=Math.max(0,Math.min(t.length-1,this.selected+n));else return;e.preventDefault(),e.
stopPropagation()};this.pointed=e=>{let t=e.currentTarget.getBoundingClientRect(),i=yt(this.facts?.turns??[]);this.selected=Math.max(0,Math.min(i.length-1,Math.
floor((e.clientX-t.left)/t.width*i.length)))}}willUpdate(e){let t=`${this.model.key} ${this.model.leaf}`;t===this.loadedAs||!this.model.facts||(this.loadedAs=t,
v(this.load()))}async load(){[this.turn,this.facts,this.failure]=[null,null,""];let{loadedAs:e}=this,t=await this.model.source.context(this.model.key,this.model.
leaf).catch(o=>C(o));if(e!==this.loadedAs)return;if(typeof t=="string"){this.failure=t;return}this.facts=t;let i=yt(t.turns),n=this.at===null?-1:i.findIndex(({turn:o})=>o.
at>=(this.at??0));this.selected=n>=0?n:i.length-1}pick({turn:e}){let{facts:t}=this;v(this.model.source.context(this.model.key,e.at).then(i=>{t===this.facts&&([this.
turn,this.failure]=[{name:Gt(e),facts:i},""])},i=>{t===this.facts&&([this.turn,this.failure]=[null,C(i)])}))}chart(e,t){let i=_s(e),n=Math.max(1,...t.map(({turn:p})=>p.
total)),o=e.window!==null&&n>=e.window/nr,a=o?Math.max(n,(e.window??0)*1.04):n,l=t[this.selected],c=l?`${Gt(l.turn)}: ${f(l.turn.total)} tokens`:"";return h`<div class="chart-frame"><div class="chart-axis" aria-hidden="true">${Wt(
a).map(p=>h`<span style=${R({"--at":String(1-p/a)})}>${P(p)}</span>`)}</div>
      <svg class="context-chart" viewBox="0 0 ${Se} ${te}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="Tokens in the context by reply"
        aria-valuemin="1" aria-valuemax=${Math.max(1,t.length)} aria-valuenow=${this.selected+1} aria-valuetext=${c} @keydown=${this.pressed} @pointermove=${this.
pointed}
        @click=${()=>l&&this.pick(l)}>
        ${t.map((p,g)=>or(p,g,t.length,i,a))}
        ${t.map((p,g)=>p.compacts?O`<line class="compaction" x1=${g*Se/t.length} x2=${g*Se/t.length} y1="0" y2=${te}></line>`:d)}
        ${e.window&&o?O`<line class="limit" x1="0" x2=${Se} y1=${te-e.window/a*te} y2=${te-e.window/a*te}></line>`:d}
        ${l?O`<rect class="selected" x=${this.selected*Se/t.length} width=${Se/t.length} y="0" height=${te}></rect>`:d}
      </svg>${e.window&&o?h`<span class="limit-name" style=${R({"--at":String(1-e.window/a)})}>window: ${P(e.window)}</span>`:d}</div>
      ${e.window&&!o?h`<p class="muted">The model’s context window (${P(e.window)} tokens) is far above this chart.</p>`:d}
      ${l?this.readout(l,i):d}`}readout({turn:e,compacts:t},i){return h`<p class="readout"><span><a href=${this.model.link(e.at)}>${Gt(e)}</a>: <b>${f(e.total)}</b> tokens${e.
reported&&e.reported!==e.total?h` (${f(e.reported)} reported)`:d}${t&&!e.compaction?", after a compaction":""}</span>
      ${i.map((n,o)=>e.parts[n]?h`<span class=${`key series-${o%8}`}>${n} ${P(e.parts[n]??0)}</span>`:d)}</p>`}render(){let e=this.facts;if(!e)return h`<div class="page-pad"><p class=${this.
failure?"notice is-bad":"muted"}>${this.failure||"Computing the context\u2026"}</p></div>`;let t=this.turn?.facts??e,i=yt(e.turns),n=Math.max(1,...t.largest.map(
({tokens:l})=>l)),o=_s(e),a=l=>`series-${(o.includes(l)?o:t.parts.map(c=>c.name)).indexOf(l)%8}`;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Context">
      <div class="figures">
        <div><b>${P(e.total)}</b><span>tokens now</span></div>
        ${e.window?h`<div><b>${Math.round(e.total/e.window*100)}%</b><span>of the model’s ${P(e.window)}</span></div>`:d}
        <div><b>${f(e.replies)}</b><span>${e.replies===1?"reply":"replies"}</span></div><div><b>${f(e.compactions)}</b><span>${e.compactions===1?"compaction":"c\
ompactions"}</span></div>
      </div>
      <section class="card"><h2>Context by reply</h2>${i.length===0?h`<p class="muted">No request was sent on this branch.</p>`:this.chart(e,i)}</section>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:d}
      ${this.turn?h`<p><button class="quiet" @click=${()=>this.turn=null}>Back to now</button></p>`:d}
      <div class="columns">
        <section class="card"><h2>${this.turn?this.turn.name:"Now"}</h2>${t.parts.map(({name:l,tokens:c})=>Os(l,c,Math.max(1,...t.parts.map(p=>p.tokens)),a(l),null))}</section>
        <section class="card"><h2>Largest entries${this.turn?`: ${this.turn.name}`:d}</h2>${t.largest.map(({at:l,what:c,tokens:p})=>Os(S(c,110),p,n,"series-2",this.
model.link(l)))}
          ${t.largest.length===0?h`<p class="muted">Nothing yet.</p>`:d}</section>
      </div>
      <p class="muted">${w(e.replies,"reply","replies")} on this branch. Sizes are estimated as Pi does it, up to the total that the provider reported.${e.window?
"":" The size of the model\u2019s context window is not known."}</p>
    </div>`}};u([y({attribute:!1})],W.prototype,"model",2),u([y({attribute:!1})],W.prototype,"at",2),u([m()],W.prototype,"facts",2),u([m()],W.prototype,"selecte\
d",2),u([m()],W.prototype,"turn",2),u([m()],W.prototype,"failure",2),W=u([k("pt-context")],W);function Gt({reply:r,compaction:s}){return s?`Compaction after rep\
ly ${f(r)}`:`Reply ${f(r)}`}function _s({parts:r,turns:s}){return[...new Set([...r.map(({name:e})=>e),...s.flatMap(e=>Object.keys(e.parts))])]}function or({turn:r},s,e,t,i){
let n=Se/e,o=e>80?0:1.5,a=0;return t.map((l,c)=>{let p=(r.parts[l]??0)/i*te;return a+=p,O`<rect class=${`series-${c%8}`} x=${s*n} y=${te-a} width=${n-o} height=${p}></rect>`})}
function Os(r,s,e,t,i){let n=h`<span class="bar-name">${r}</span><span class="bar-value">${P(s)}</span><span class=${`bar-fill ${t}`} style=${R({width:`${s/e*100}\
%`})}></span>`;return i===null?h`<div class="bar">${n}</div>`:h`<a class="bar" href=${i}>${n}</a>`}function yt(r){let s=Math.max(1,Math.ceil(r.length/rr)),e=[];
for(let t=0;t<r.length;t+=s){let i=r.slice(t,t+s),n=i.reduce((o,a)=>a.total>o.total?a:o);e.push({turn:n,compacts:i.some(({compaction:o})=>o)})}return e}/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:ar}=Ts,Fs=r=>r;var Is=()=>document.createComment(""),_e=(r,s,e)=>{let t=r._$AA.parentNode,i=s===void 0?r._$AB:s._$AA;if(e===void 0){let n=t.insertBefore(Is(),i),o=t.insertBefore(
Is(),i);e=new ar(n,o,r,r.options)}else{let n=e._$AB.nextSibling,o=e._$AM,a=o!==r;if(a){let l;e._$AQ?.(r),e._$AM=r,e._$AP!==void 0&&(l=r._$AU)!==o._$AU&&e._$AP(l)}
if(n!==i||a){let l=e._$AA;for(;l!==n;){let c=Fs(l).nextSibling;Fs(t).insertBefore(l,i),l=c}}}return e},ue=(r,s,e=r)=>(r._$AI(s,e),r),lr={},qs=(r,s=lr)=>r._$AH=s,
Hs=r=>r._$AH,vt=r=>{r._$AR(),r._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Ns=(r,s,e)=>{let t=new Map;for(let i=s;i<=e;i++)t.set(r[i],i);return t},Oe=ft(class extends Pe{constructor(r){if(super(r),r.type!==mt.CHILD)throw Error("\
repeat() can only be used in text expressions")}dt(r,s,e){let t;e===void 0?e=s:s!==void 0&&(t=s);let i=[],n=[],o=0;for(let a of r)i[o]=t?t(a,o):o,n[o]=e(a,o),o++;
return{values:n,keys:i}}render(r,s,e){return this.dt(r,s,e).values}update(r,[s,e,t]){let i=Hs(r),{values:n,keys:o}=this.dt(s,e,t);if(!Array.isArray(i))return this.
ut=o,n;let a=this.ut??=[],l=[],c,p,g=0,b=i.length-1,$=0,E=n.length-1;for(;g<=b&&$<=E;)if(i[g]===null)g++;else if(i[b]===null)b--;else if(a[g]===o[$])l[$]=ue(i[g],
n[$]),g++,$++;else if(a[b]===o[E])l[E]=ue(i[b],n[E]),b--,E--;else if(a[g]===o[E])l[E]=ue(i[g],n[E]),_e(r,l[E+1],i[g]),g++,E--;else if(a[b]===o[$])l[$]=ue(i[b],n[$]),
_e(r,i[g],i[b]),b--,$++;else if(c===void 0&&(c=Ns(o,$,E),p=Ns(a,g,b)),c.has(a[g]))if(c.has(a[b])){let M=p.get(o[$]),fe=M!==void 0?i[M]:null;if(fe===null){let Ne=_e(
r,i[g]);ue(Ne,n[$]),l[$]=Ne}else l[$]=ue(fe,n[$]),_e(r,i[g],fe),i[M]=null;$++}else vt(i[b]),b--;else vt(i[g]),g++;for(;$<=E;){let M=_e(r,l[E+1]);ue(M,n[$]),l[$++]=
M}for(;g<=b;){let M=i[g++];M!==null&&vt(M)}return this.ut=o,qs(r,l),B}});var hr=new Set(["p","h1","h2","h3","h4","h5","h6","ul","ol","li","blockquote","pre","code","em","strong","del","a","table","thead","tbody","tr","th","td","hr","\
br","span","div","details","summary","img","dl","dt","dd"]),cr=/^(?:https?:\/\/|mailto:)/i,ur=/^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,dr=/^[a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*$/,
pr={h1:"h3",h2:"h4",h3:"h5",h4:"h6",h5:"h6"},mr=100;function Ds(r){return typeof r=="object"&&r!==null&&!Array.isArray(r)}function Ee(r){return typeof r=="strin\
g"?r:null}function fr(r,s){let e=Ee(s);e===null||!cr.test(e)||(r.setAttribute("href",e),r.setAttribute("rel","noreferrer noopener"),r.setAttribute("target","_bl\
ank"))}function gr(r,s){let e=Ee(s.src)??"";r.setAttribute("src",e),r.setAttribute("alt",Ee(s.t)??"Image"),r.setAttribute("loading","lazy")}function yr(r,s,e){let t=Ee(
e.c);t!==null&&dr.test(t)&&(r.className=t);let i=Ee(e.t);i!==null&&s!=="img"&&(r.title=i),s==="a"&&fr(r,e.h),s==="img"&&gr(r,e),Number.isInteger(e.n)&&(r.dataset.
left=String(e.n)),s==="details"&&e.o===1&&r.setAttribute("open",""),s==="ol"&&Number.isInteger(e.s)&&r.setAttribute("start",String(e.s));let n=Ee(e.a);(s==="td"||
s==="th")&&n!==null&&/^(?:left|center|right)$/.test(n)&&r.classList.add(`align-${n}`)}function Us(r,s,e){if(typeof s=="string"){r.append(s);return}if(!Array.isArray(
s)||typeof s[0]!="string")return;let[t,i]=s,n=Ds(i)?i:{},o=s.slice(Ds(i)?2:1),a=hr.has(t)&&e<mr&&(t!=="img"||ur.test(Ee(n.src)??"")),l=a?document.createElement(
pr[t]??t):r;a?yr(l,t,n):r.append(`<${t}>`);for(let c of o)Us(l,c,e+1);a&&r.append(l)}function vr(r){for(let s of r.querySelectorAll("pre, .lines"))s.tabIndex=0,
s.tagName==="PRE"&&s.setAttribute("role","region"),s.tagName==="PRE"&&s.setAttribute("aria-label","Text block")}function j(r,s="body"){let e=document.createElement(
"div");e.className=s;for(let t of r??[])Us(e,t,0);return vr(e),e}var br=24,Bs=new WeakMap;function Ks(r,s){let e=Bs.get(r);return e||(e=j(r.body),Yt(e),zs(e,r.at,s,t=>js(t,r,s)),Bs.set(r,e)),js(e,r,s),e}function js(r,s,e){if(s.
calls.length===0)return;let t=r.querySelectorAll(":scope > .call");s.calls.forEach((i,n)=>{let o=t[n],a=i.resultAt===null?void 0:e.row(i.resultAt);if(!o||!a||o.
dataset.resultAt===String(a.at))return;o.dataset.resultAt=String(a.at),o.classList.toggle("is-failed",a.isError);let l=j(a.body,"result");o.querySelector(":scop\
e > summary")?.append(kr(a,l)),Yt(l),zs(l,a.at,e),o.append(l),$r(o,l),wr(a,l)&&o instanceof HTMLDetailsElement&&(o.open=!0)})}function $r(r,s){if(!Ws(s))return;
let e=s.textContent??"";for(let t of r.querySelectorAll(":scope > .block")){let i=[...t.querySelectorAll(".diff-add, .diff-del")].map(n=>(n.textContent??"").slice(
1).trim());t.hidden=i.length>0&&i.every(n=>e.includes(n))}}function Yt(r){for(let s of r.querySelectorAll("pre")){let e=document.createElement("div");e.className=
"block";let t=document.createElement("button");t.className="copy-block",t.tabIndex=-1,t.setAttribute("aria-label","Copy this block"),t.onclick=()=>v(z(s.textContent??
"").then(()=>L("Block copied"))),s.replaceWith(e),e.append(s,t)}}function zs(r,s,e,t=()=>{}){for(let i of r.querySelectorAll(".cut[data-left]")){let n=document.
createElement("button");n.textContent=`Show the rest (${P(Number(i.dataset.left))} bytes)`,n.onclick=()=>v(e.source.entry(e.key,s).then(o=>{r.replaceChildren(...j(
o.body).childNodes),Yt(r),t(r)})),i.append(" ",n)}}function wr(r,s){return(Ws(s)||r.isError)&&Gs(s).trim().split(`
`).length<=br}function Ws(r){return r.querySelector(".diff-add, .diff-del")!==null}function kr(r,s){let e=document.createElement("span");e.className="outcome";let t=document.
createElement("span");t.className=r.isError?"mark is-bad":"mark",t.textContent=r.isError?"failed":"ok";let i=r.particulars.find(n=>/^\+\d+ −\d+$/.test(n));return e.
append(t," ",i??xr(s)),e}function xr(r){let s=r.querySelectorAll(".lines > li"),t=(s.length>0?[...s].map(i=>i.textContent??""):Gs(r).split(`
`)).filter(i=>i.trim()!=="");return t.length>1?`${w(t.length,"line")}: ${S(t[0]??"",60)}`:S(t[0]??"no output",100)}function Gs(r){return[...r.children].filter(s=>s.
tagName!=="DETAILS").map(s=>s.textContent??"").join(`
`)}function Ys(r,s,e){for(let t of r.querySelectorAll("details"))(s.some(n=>(t.textContent??"").toLowerCase().includes(n))||e!==null&&t.dataset.resultAt===String(
e))&&(t.open=!0)}function Vs(r){let s=j(r.body),e=[];for(let t of s.children)e.push(t.textContent??"");return e.join(`

`).trim()||r.summary}function Xs(r){return[...j(r.body).querySelectorAll("pre")].filter(s=>!s.closest(".call, .thinking")).map(s=>s.textContent??"")}function Sr(r,s,e){let t=[];for(let i=s.indexOf(e);i>=0;i=s.indexOf(e,i+e.length)){let n=document.createRange();n.setStart(r,i),n.setEnd(r,i+e.length),t.push(n)}
return t}function Qs(r,s){if(!("highlights"in CSS))return;if(s.length===0){CSS.highlights.delete("find");return}let e=[],t=document.createTreeWalker(r,NodeFilter.
SHOW_TEXT);for(let i=t.nextNode();i&&e.length<500;i=t.nextNode()){let n=(i.nodeValue??"").toLowerCase();if(n.length===i.nodeValue?.length)for(let o of s)e.push(
...Sr(i,n,o))}CSS.highlights.set("find",new Highlight(...e))}var se=[{tab:"",name:"Conversation",key:"1"},{tab:"lanes",name:"Lanes",key:"2"},{tab:"tree",name:"Graph",key:"3"},{tab:"family",name:"Family",key:"4"},{tab:"con\
text",name:"Context",key:"5"},{tab:"request",name:"Requests",key:"6"}];function Ge(r){let s=r.replace(/^#/,"");if(s!==""&&!s.startsWith("/"))return{view:"sessio\
n",key:"",tab:"",parameters:new URLSearchParams,entry:Zs(s)};let[e="",t=""]=s.split(/\?(.*)/s),[i,n,o]=e.split("/").filter(Boolean).map(Zs),a=new URLSearchParams(
t),l=se.find(c=>c.tab===o)?.tab??"";return i==="session"&&n?{view:i,key:n,tab:l,parameters:a,entry:""}:i==="spend"||i==="stats"?{view:i,key:"",tab:"",parameters:a,
entry:""}:{view:"sessions",key:"",tab:"",parameters:a,entry:""}}function Zs(r){try{return decodeURIComponent(r)}catch{return r}}function Js(r,s){let e=new URLSearchParams;
for(let[i,n]of Object.entries(s))n!=null&&n!==""&&e.set(i,String(n));let t=e.toString();return t?`#/${r}?${t}`:`#/${r}`}function T(r,s={}){return Js(r==="sessio\
ns"?"":r,s)}function A(r,s="",e={}){return Js(`session/${encodeURIComponent(r)}${s?`/${s}`:""}`,e)}function Fe(r,s){let e=Object.fromEntries(r.parameters);return r.
view==="session"?A(r.key,r.tab,{...e,...s}):T(r.view,{...e,...s})}function _(r,s=!1){r===location.hash||r==="#/"&&location.hash===""||(s?history.replaceState(null,
"",r):history.pushState(null,"",r),window.dispatchEvent(new Event("route")))}function Ye(r){return r!==null&&/^\d+$/.test(r)?Number(r):null}function bt({parameters:r}){
return r.has("id")?null:Ye(r.get("e"))}function Vt({parameters:r,entry:s}){let e=r.get("id")||r.get("e")||s;return bt({parameters:r})===null?e:""}var Er=4;function Tr(r,s,e){r.dispatchEvent(new CustomEvent("row-action",{detail:{action:s,at:e},bubbles:!0}))}function Ve(r,s,e,t){return h`<button class="quiet" tabindex="-1" title=${e} aria-label=${e} @click=${n=>{
n.stopPropagation(),Tr(n.currentTarget,r,s)}}>${t}</button>`}function Ar(r,s,e){let t=s.kind==="assistant"&&r.source.tabs.has("request");return h`<span class="row-tools">
    ${Ve("copy",s.at,"Copy the message (y)","Copy")}
    ${Ve("link",s.at,"Copy a link to this entry","Link")}
    ${r.source.canEdit?Ve("label",s.at,"Set a label","Label"):d}
    ${t?Ve("request",s.at,"Show the request for this reply","Request"):d}
    ${Ve("fold",s.at,e.isFolded?"Unfold (o)":"Fold (o)",e.isFolded?"Unfold":"Fold")}
  </span>`}function Rr(r,s,e){return h`<header>
    <span class="who">${s.who||s.kind}</span>
    ${s.what?h`<code class="what">${S(s.what,80)}</code>`:d}
    ${s.label===null?d:h`<span class="chip is-label" title="Label">${s.label}</span>`}
    ${s.isError?h`<span class="chip is-error">error</span>`:d}
    <span class="particulars">${s.particulars.map(t=>h`<span>${t}</span>`)}</span>
    ${e.isNested?d:Ar(r,s,e)}
    <a class="time" tabindex="-1" href=${A(r.key,"",{leaf:r.leaf,e:s.at})} title=${xe(s.time)}>${Ls(s.time)||`#${s.at}`}</a>
  </header>`}function Mr(r,s){let e=r.facts?.family??[];if(e.length===0||r.depth>=Er)return[];let t=new Set([s.at,...s.calls.map(({resultAt:i})=>i).filter(i=>i!==
null&&r.isMerged(i))]);return e.filter(i=>i.subagentOf===r.key&&typeof i.at=="number"&&t.has(i.at))}function $t(r,s,e){let t=["row",`is-${s.kind}`,e.isCursor?"i\
s-cursor":"",e.isFolded?"is-folded":"",s.isError?"is-failed":"",e.isHit?"is-hit":"",e.isAgain?"is-again":""],i=`${s.who||s.kind}${s.label===null?"":`, label ${s.
label}`}: ${S(s.summary,100)}`;return h`<article
    class=${t.filter(Boolean).join(" ")} data-index=${e.place} data-at=${s.at} tabindex=${e.isCursor?0:-1}
    aria-label=${i} aria-posinset=${e.place+1} aria-setsize=${r.path.length}
  >
    ${Rr(r,s,e)}
    ${e.isFolded?h`<p class="folded">${s.summary}</p>`:Ks(s,r)}
    ${Mr(r,s).map(n=>h`<pt-subagent .source=${r.source} .member=${n} .depth=${r.depth+1}></pt-subagent>`)}
  </article>`}function ei(r,s){return h`<article class="row is-empty" data-index=${r} data-at=${s} tabindex="-1" aria-busy="true" aria-label="Loading"><p class="folded">…</p></article>`}
function ti(r,s){return h`<article class="row is-${s.kind}" data-index=${r} data-at=${s.at} tabindex="-1"><header><span class="who">${s.who||s.kind}</span></header><p class="folded">${s.
summary}</p></article>`}function si(r,s){return h`<div class="is-merged" data-index=${r} data-at=${s}></div>`}var Xe=class{constructor(s){this.heights=s,this.sums=new Float64Array(s.length+1);for(let e=1;e<=s.length;e+=1){this.sums[e]=(this.sums[e]??0)+(s[e-1]??0);let t=e+
(e&-e);t<=s.length&&(this.sums[t]=(this.sums[t]??0)+(this.sums[e]??0))}}get count(){return this.heights.length}get total(){return this.above(this.count)}height(s){
return this.heights[s]??0}above(s){let e=0;for(let t=Math.min(s,this.count);t>0;t-=t&-t)e+=this.sums[t]??0;return e}set(s,e){let t=e-this.height(s);this.heights[s]=
e;for(let i=s+1;i<=this.count;i+=i&-i)this.sums[i]=(this.sums[i]??0)+t}at(s){let e=0,t=s;for(let i=2**Math.floor(Math.log2(Math.max(1,this.count)));i>=1;i/=2){let n=this.
sums[e+i];e+i>this.count||n===void 0||n>t||(e+=i,t-=n)}return Math.max(0,Math.min(e,this.count-1))}};var ii=100,ri=["wheel","touchstart","pointerdown","keydown"],G=class{constructor(s,e){this.items=[];this.isFlying=!1;this.heights=new Xe(new Float64Array);this.
heightsOf=null;this.measured=new Map;this.watched=new Set;this.scroller=null;this.offset=0;this.height=innerHeight;this.shift=0;this.wanted=null;this.settling=null;
this.jumpedAt=-1/0;this.landing=0;this.scrollerSizes=new ResizeObserver(()=>this.resized());this.rowSizes=new ResizeObserver(s=>this.measure(s));this.letGo=()=>{
this.wanted=null};this.scrolled=()=>{let s=this.scroller?.scrollTop??0;if(s===this.offset)return;this.noteSpeed(s-this.offset);let e=this.range;this.offset=s;let t=this.
range;(e?.startIndex!==t?.startIndex||e?.endIndex!==t?.endIndex)&&this.host.requestUpdate()};this.host=s,this.options=e,this.now={count:0,scroller:"",estimate:()=>0},
s.addController(this)}get total(){return this.heights.total+(this.now.paddingStart??0)+(this.now.paddingEnd??0)}get range(){if(this.heights.count===0)return null;
let s=this.offset-(this.now.paddingStart??0);return{startIndex:this.heights.at(s),endIndex:this.heights.at(s+this.height-1)}}isKnown(s){return!this.now.measures||
this.measured.has(this.keyOf(s))}keyOf(s){return this.now.keyOf?.(s)??s}start(s){return this.heights.above(s)+(this.now.paddingStart??0)}hostConnected(){this.host.
requestUpdate()}hostDisconnected(){this.leave()}hostUpdate(){this.readOptions(),this.items=this.placed()}readOptions(){this.now=this.options();let{count:s,of:e=null,
estimate:t}=this.now;s===this.heights.count&&e===this.heightsOf||(this.heightsOf=e,this.heights=new Xe(Float64Array.from({length:s},(i,n)=>this.measured.get(this.
keyOf(n))??t(n))))}placed(){let{range:s}=this;if(!s)return[];let{overscan:e=8,keeps:t}=this.now,i=c=>({index:c,key:this.keyOf(c),start:this.start(c),size:this.heights.
height(c)}),n=Math.max(0,s.startIndex-e),o=Math.min(this.heights.count-1,s.endIndex+e),a=Array.from({length:o-n+1},(c,p)=>i(n+p)),l=t?.()??-1;return l>=0&&l<n&&
a.unshift(i(l)),l>o&&l<this.heights.count&&a.push(i(l)),a}hostUpdated(){let s=this.host.querySelector(this.now.scroller);s!==this.scroller&&this.enter(s),this.scroller&&
(this.now.measures&&this.watchRows(this.scroller),this.moveOn(this.scroller))}enter(s){if(this.leave(),this.scroller=s,!!s){s.addEventListener("scroll",this.scrolled,
{passive:!0});for(let e of ri)s.addEventListener(e,this.letGo,{passive:!0});this.scrollerSizes.observe(s)}}leave(){this.scroller?.removeEventListener("scroll",this.
scrolled);for(let s of ri)this.scroller?.removeEventListener(s,this.letGo);this.scrollerSizes.disconnect(),this.rowSizes.disconnect(),this.watched.clear(),clearTimeout(
this.landing),this.isFlying=!1,this.scroller=null,this.offset=0,this.shift=0}resized(){let s=this.scroller?.clientHeight??0;s!==this.height&&(this.height=s,this.
host.requestUpdate())}watchRows(s){let e=new Set(s.querySelectorAll(":scope > * > .slot:not(.is-passing)"));for(let t of this.watched)e.has(t)||(this.watched.delete(
t),this.rowSizes.unobserve(t));for(let t of e)this.watched.has(t)||(this.watched.add(t),this.rowSizes.observe(t))}measure(s){let e=this.wanted!==null;for(let{target:t,
borderBoxSize:i}of s){let n=Number(t.dataset.index);if(!this.watched.has(t)||!t.isConnected||!(n<this.heights.count))continue;let o=Math.round(i[0]?.blockSize??
0),a=this.heights.height(n),[l,c]=[this.start(n),!this.isKnown(n)];this.measured.set(this.keyOf(n),o),o!==a&&(e=!0,this.heights.set(n,o),(c?l<this.offset:l+a<=this.
offset)&&this.moveBy(o-a))}e&&this.host.requestUpdate()}moveBy(s){this.shift+=s,this.offset+=s}moveOn(s){this.wanted&&this.heights.count>0?this.goToWanted(s,this.
wanted):this.shift!==0&&(s.scrollTop=this.offset),this.shift=0}goToWanted(s,e){let t=this.offset,i=this.offsetFor(Math.min(e.place,this.heights.count-1),e.align);
(Math.abs(i-t)>=1||this.shift!==0)&&(s.scrollTop=i,this.offset=s.scrollTop),Math.abs(this.offset-t)>=1?this.host.requestUpdate():e.stays||this.settle(e)}settle(s){
if(this.settling===s)return;this.settling=s;let{offset:e,total:t}=this;requestAnimationFrame(()=>requestAnimationFrame(()=>{this.settling=null,this.wanted===s&&
(this.offset===e&&this.total===t&&this.isSeenKnown()?this.wanted=null:this.host.requestUpdate())}))}isSeenKnown(){let{startIndex:s,endIndex:e}=this.range??{startIndex:0,
endIndex:-1};for(let t=s;t<=e;t+=1)if(!this.isKnown(t))return!1;return!0}offsetFor(s,e){let[t,i]=[this.start(s),this.heights.height(s)],n=s===0?0:t,o=Math.max(0,
this.total-this.height),a=t+i+(this.now.paddingEnd??0)>=this.total?o:t+i-this.height,l=c=>Math.round(Math.max(0,Math.min(o,c)));switch(e){case"start":return l(n);case"\
end":return l(a);case"center":return l(t+i/2-this.height/2);case"auto":return n<this.offset?l(n):a>this.offset?l(a):this.offset}}scrollTo(s,e="auto"){this.go({place:s,
align:e,stays:!1})}scrollToEnd(){this.go({place:1/0,align:"end",stays:!0})}go(s){this.wanted=s,this.land(),this.host.requestUpdate()}noteSpeed(s){if(Math.abs(s)<=
this.height)return;let e=performance.now();e-this.jumpedAt<ii&&(this.isFlying=!0,clearTimeout(this.landing),this.landing=window.setTimeout(()=>this.land(),ii)),
this.jumpedAt=e}land(){clearTimeout(this.landing),this.jumpedAt=-1/0,this.isFlying&&(this.isFlying=!1,this.host.requestUpdate())}};var Pr=76,Cr=60,Lr=150,wt=3e3,Y=class extends x{constructor(){super(...arguments);this.cursor=-1;this.words=[];this.hits=new Set;this.version=0;this.isPrinting=
!1;this.printedFrom=0;this.openedForPaper=[];this.flipped=new Set;this.foldsAll=!1;this.virtual=new G(this,()=>({count:this.model.path.length,of:this.model.path,
scroller:".scroller",estimate:()=>Pr,measures:!0,overscan:6,paddingStart:8,paddingEnd:48,keyOf:e=>this.model.path[e]??e,keeps:()=>this.focused()}));this.wantedAt=
0;this.seen={first:-1,last:-1};this.pending=null}get scroller(){return this.querySelector(".scroller")}focused(){return this.cursor>=0&&this.contains(document.activeElement)?
this.model.place(this.cursor):-1}updated(e){e.has("isPrinting")&&this.openForPaper(),e.has("words")&&this.words.length>0&&!this.pending&&this.revealAt(this.cursor),
this.carryOut(),this.tellSeen(),Qs(this,this.words)}tellSeen(){let e=this.virtual.range;e&&(this.wantRows(e.startIndex-10,e.endIndex+10),!(e.startIndex===this.seen.
first&&e.endIndex===this.seen.last)&&(this.seen={first:e.startIndex,last:e.endIndex},this.dispatchEvent(new CustomEvent("seen",{detail:this.seen}))))}wantRows(e,t){
let i=performance.now();this.virtual.isFlying&&i-this.wantedAt<Lr||(this.wantedAt=i,this.model.want(e,t))}get isAtEnd(){let e=this.scroller;return e!==null&&e.scrollHeight-
e.scrollTop-e.clientHeight<Cr}scrollToEnd(){this.virtual.scrollToEnd()}show(e,t={}){let i=this.model.callerOf(e),n=this.model.nearest(i??e);if(n<0)return;let o=t.
align??"center";this.virtual.scrollTo(n,o),this.pending={at:e,focus:t.focus??!1,align:o},this.requestUpdate()}scrollToPlace(e){this.virtual.scrollTo(Math.max(0,
Math.min(this.model.path.length-1,e)),"start")}scrollByPage(e){let t=this.scroller;this.virtual.letGo(),t?.scrollBy({top:e*(t.clientHeight-60)})}carryOut(){if(!this.
pending)return;let{at:e,focus:t,align:i}=this.pending,n=this.model.row(e),o=this.model.callerOf(e),a=this.rowElement(o??e);!n||!a||a.matches(".is-empty, .is-pas\
sing *")||(this.pending=null,this.revealAt(e),this.virtual.scrollTo(this.model.place(o??e),o===null?i:"start"),t&&a.focus({preventScroll:!0}))}revealAt(e){let t=this.
model.callerOf(e),i=this.rowElement(t??e);i&&(t!==null||this.words.length>0)&&Ys(i,this.words,t===null?null:e)}rowElement(e){return this.querySelector(`.rows > \
.slot > [data-at="${e}"]`)}isFolded(e){let t=this.model.row(e)?.isFolded??!1;return(this.foldsAll||t)!==this.flipped.has(e)&&!(this.isPrinting&&t&&!this.foldsAll)}fold(e){
this.flipped.delete(e)||this.flipped.add(e),this.requestUpdate()}foldAll(e){this.foldsAll=e,this.flipped.clear(),this.requestUpdate()}get isAllFolded(){return this.
foldsAll}step(e,t){let i=this.model.nearest(e)+t;for(;i>=0&&i<this.model.path.length;){let n=this.model.path[i];if(!this.model.isMerged(n))return n;i+=t}return null}firstSeen(){
let e=this.scroller?.getBoundingClientRect().top??0;for(let t of this.querySelectorAll(".rows > .slot > article"))if(t.getBoundingClientRect().top>=e-4)return Number(
t.dataset.at);return this.model.path[0]??0}isAgain(e){let t=e-1;for(;t>=0&&this.model.isMerged(this.model.path[t]);)t-=1;let i=n=>n===void 0?void 0:this.model.row(
n)?.kind;return i(this.model.path[e])==="assistant"&&i(this.model.path[t])==="assistant"}openForPaper(){if(this.isPrinting)this.openedForPaper.push(...this.querySelectorAll(
"details:not([open], .subagent)"));else for(let e of this.openedForPaper.splice(0))e.open=!1;for(let e of this.openedForPaper)e.open=!0}passes(e){return this.virtual.
isFlying&&e!==this.focused()}item(e){let t=this.model.path[e],i=this.model.row(t);return i?this.model.isMerged(t)?si(e,t):this.passes(e)?ti(e,i):$t(this.model,i,
{place:e,isCursor:t===this.cursor,isFolded:this.isFolded(t),isHit:this.hits.has(t),isAgain:this.isAgain(e)}):ei(e,t)}placed({index:e,start:t,size:i}){let n=this.
passes(e),o={transform:`translateY(${t}px)`,height:n?`${i}px`:""};return h`<div class=${n?"slot is-passing":"slot"} data-index=${e} style=${R(o)}>${this.item(e)}</div>`}render(){
if(this.isPrinting)return this.printed();let{items:e}=this.virtual,t=this.model.path.length===0;return h`<div class="scroller" role="feed" aria-label="Conversation" aria-busy="false" tabindex=${this.
cursor<0?0:-1}>
      ${t?h`<p class="empty">${this.model.filter==="all"?"This session has no entries.":"No entry of this branch passes the filter."}</p>`:d}
      <div class="rows" style=${R({height:`${this.virtual.total}px`})}>
        ${Oe(e,i=>i.key,i=>this.placed(i))}
      </div>
    </div>`}printed(){let{path:e}=this.model,t=[...e.subarray(this.printedFrom,this.printedFrom+wt)].map((o,a)=>this.printedFrom+a),i=t.filter(o=>!this.model.row(
e[o])).length,n=t.length<e.length;return h`<div class="rows is-printed">
      ${n?h`<p class="notice">Entries ${f(this.printedFrom+1)} to ${f(this.printedFrom+t.length)} of ${f(e.length)} on this branch. The others are not printed here: put the cursor on a message and choose “Print from this message on”.</p>`:
d}
      ${i>0?h`<p class="notice">${w(i,"entry was","entries were")} not loaded and ${i===1?"is":"are"} missing. Print with the page’s own button, or Ctrl+P, to have them all.</p>`:
d}
      ${t.map(o=>this.model.row(e[o])?this.item(o):d)}</div>`}};u([y({attribute:!1})],Y.prototype,"model",2),u([y({attribute:!1})],Y.prototype,"cursor",2),u([y(
{attribute:!1})],Y.prototype,"words",2),u([y({attribute:!1})],Y.prototype,"hits",2),u([y({attribute:!1})],Y.prototype,"version",2),u([m()],Y.prototype,"isPrinti\
ng",2),Y=u([k("pt-conversation")],Y);var ni=.05,_r=6,Or=.7,Ie=class extends x{constructor(){super(...arguments);this.offsetX=0;this.offsetY=0;this.scale=1;this.pointers=new Map;this.moved=0;this.fittedTo=
"";this.wheeled=e=>{e.preventDefault();let t=this.frame;e.ctrlKey||e.metaKey||!e.shiftKey?this.zoom(Math.exp(-e.deltaY/500),e.clientX-t.left,e.clientY-t.top):this.
pan(-e.deltaY,0)};this.grabbed=e=>{this.pointers.set(e.pointerId,{x:e.clientX,y:e.clientY}),this.moved=0};this.dragged=e=>{let t=this.pointers.get(e.pointerId);
if(!t)return;let i=[...this.pointers].filter(([a])=>a!==e.pointerId),n={x:e.clientX,y:e.clientY};this.pointers.set(e.pointerId,n),this.moved+=Math.abs(n.x-t.x)+
Math.abs(n.y-t.y);let o=i[0]?.[1];if(o){let[a,l]=[Math.hypot(t.x-o.x,t.y-o.y),Math.hypot(n.x-o.x,n.y-o.y)],c=this.frame;this.zoom(l/Math.max(1,a),(n.x+o.x)/2-c.
left,(n.y+o.y)/2-c.top)}else this.pan(n.x-t.x,n.y-t.y)};this.released=e=>{this.pointers.delete(e.pointerId)};this.clicked=e=>{this.moved>6&&e.preventDefault()};
this.pressed=e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;let i={"+":()=>this.zoom(1.25),"=":()=>this.zoom(1.25),"-":()=>this.zoom(.8),0:()=>this.fit(!0),ArrowLeft:()=>this.
pan(60,0),ArrowRight:()=>this.pan(-60,0),ArrowUp:()=>this.pan(0,60),ArrowDown:()=>this.pan(0,-60)}[e.key];i&&(e.preventDefault(),e.stopPropagation(),i())};this.
focused=e=>{let t=e.target;if(!t.matches("a"))return;let i=t.getBoundingClientRect(),n=this.frame;(i.left<n.left||i.right>n.right)&&this.pan(n.left+n.width/2-(i.
left+i.right)/2,0),(i.top<n.top||i.bottom>n.bottom)&&this.pan(0,n.top+n.height/2-(i.top+i.bottom)/2)}}legend(){return h``}updated(e){let{width:t,height:i}=this.
size,n=`${t} ${i}`;t>0&&n!==this.fittedTo&&(this.fittedTo=n,this.fit())}get frame(){return this.querySelector("svg.canvas")?.getBoundingClientRect()??new DOMRect(
0,0,1,1)}fit(e=!1){let{width:t,height:i}=this.size,n=this.frame,o=Math.min(n.width/t,n.height/i)*.96;this.scale=Math.max(e?ni:Or,Math.min(1.25,o)),this.offsetX=
Math.max(16,(n.width-t*this.scale)/2),this.offsetY=Math.max(16,(n.height-i*this.scale)/2),this.place()}place(){this.querySelector("svg.canvas > g")?.setAttribute(
"transform",`translate(${this.offsetX} ${this.offsetY}) scale(${this.scale})`)}zoom(e,t=this.frame.width/2,i=this.frame.height/2){let n=Math.max(ni,Math.min(_r,
this.scale*e));this.offsetX=t-(t-this.offsetX)*n/this.scale,this.offsetY=i-(i-this.offsetY)*n/this.scale,this.scale=n,this.place()}pan(e,t){this.offsetX+=e,this.
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
    </div>`}};var Qe=230,Ze=44,Xt=60,Fr=16;function oi(r){return`${r.subagentOf?"at":"after"} ${he(r.at??0)}`}var Te=class extends Ie{constructor(){super(...arguments);this.version=
0;this.whole=null;this.loadedAs="";this.laidOut=null}willUpdate(e){let t=`${this.model.key} ${this.model.facts?.entries}`;!this.model.facts||t===this.loadedAs||
(this.loadedAs=t,v(this.model.source.family(this.model.key).then(i=>{t===this.loadedAs&&(this.whole=i)})))}get members(){return this.whole??this.model.facts?.family??
[]}get placed(){let e=this.members;return this.laidOut?.members!==e&&(this.laidOut={members:e,placed:this.layOut(e)}),this.laidOut.placed}layOut(e){let t=new Map;
for(let c of e)c.parentKey!==null&&(t.get(c.parentKey)??t.set(c.parentKey,[]).get(c.parentKey))?.push(c);let i=new Set(e.map(c=>c.key)),n=e.filter(c=>c.parentKey===
null||!i.has(c.parentKey)),o=new Map,a=0,l=(c,p)=>{if(o.has(c.key))return;o.set(c.key,{member:c,depth:p,x:16+p*(Qe+Xt),y:16+a*(Ze+Fr)}),(t.get(c.key)??[]).forEach(
(b,$)=>{$>0&&(a+=1),l(b,p+1)})};for(let c of[...n,...e])o.has(c.key)||(l(c,0),a+=1);return o}get name(){return`Family of ${this.members.length} ${this.members.length===
1?"session":"sessions"}`}get size(){let e=[...this.placed.values()];return{width:Math.max(0,...e.map(({x:t})=>t+Qe+16)),height:Math.max(0,...e.map(({y:t})=>t+Ze+
16))}}link(e){return A(e.key)}start(e){return e.parentKey===null||e.at===null||e.at===void 0?null:A(e.parentKey,"",{e:e.at})}kind(e){return e.subagentOf?"sub-ag\
ent":e.parentKey?"fork":"first session"}box({member:e,x:t,y:i}){let n=this.start(e),o=`${e.isSelf?"this session, ":""}${this.kind(e)}`;return O`<g><a href=${this.
link(e)} class=${`family-box ${e.isSelf?"is-self":""} ${e.subagentOf?"is-subagent":""}`}>
      <title>${e.title}</title>
      <rect x=${t} y=${i} width=${Qe} height=${Ze} rx="6"></rect>
      <text x=${t+12} y=${i+19}>${S(e.title,27)}</text>
      <text class="small" x=${t+12} y=${i+35}>${o}</text>
    </a>${n===null?d:O`<a href=${n} class="family-start"><title>${`Where ${e.title} began`}</title>
      <text class="small" text-anchor="end" x=${t+Qe-12} y=${i+35}>${oi(e)}</text></a>`}</g>`}drawing(){let e=this.placed,t=[...e.values()].map(({member:i,x:n,y:o})=>{
let a=i.parentKey===null?void 0:e.get(i.parentKey);if(!a)return O``;let[l,c,p]=[a.x+Qe,a.y+Ze/2,o+Ze/2];return O`<path class=${i.subagentOf?"family-line is-suba\
gent":"family-line"} d=${`M${l} ${c} C${l+Xt/2} ${c}, ${n-Xt/2} ${p}, ${n} ${p}`}></path>`});return O`${t}${[...e.values()].map(i=>this.box(i))}`}inWords(){let e=this.
placed;return h`<ul>${[...e.values()].map(({member:t})=>{let i=this.start(t);return h`<li><a href=${this.link(t)}>${t.title}</a> ${t.isSelf?"(this session)":""} ${this.
kind(t)}${t.parentKey?` of ${e.get(t.parentKey)?.member.title??"a session that is not here"}`:""}
        ${i===null?d:h`<a href=${i}>${oi(t)}</a>`}</li>`})}</ul>`}};u([y({attribute:!1})],Te.prototype,"model",2),u([y({attribute:!1})],Te.prototype,"version",2),
u([m()],Te.prototype,"whole",2),Te=u([k("pt-family")],Te);var U=class extends x{constructor(){super(...arguments);this.query="";this.cursor=-1;this.text="";this.ats=[];this.total="0";this.current=-1;this.isBusy=!1;this.
hasEntry=!1;this.asked="";this.askSoon=K(160,()=>v(this.ask(this.text,!0)));this.typed=e=>{this.text=e.target.value,this.askSoon()};this.pressed=e=>{if(e.key===
"Enter")this.step(e.shiftKey?-1:1);else if(e.key==="Escape")e.target.blur(),this.dispatchEvent(new Event("close-find"));else return;e.preventDefault(),e.stopPropagation()}}focusField(){
let e=this.querySelector("input");e?.focus(),e?.select()}willUpdate(e){!e.has("query")||this.query===this.asked||(this.text=this.query,v(this.ask(this.query,!this.
hasEntry)))}async ask(e,t){this.asked=e,this.isBusy=e!=="";let i=e===""?{total:0,isAll:!0,words:[],hits:[]}:await this.model.source.find(this.model.key,e);this.
asked===e&&(this.isBusy=!1,this.ats=i.hits.map(n=>n.at).sort((n,o)=>n-o),this.total=`${f(i.total)}${i.isAll?"":"+"}`,this.current=-1,le(e===""?"":i.isAll?w(i.total,
"match","matches"):`More than ${w(i.total,"match","matches")}`),this.dispatchEvent(new CustomEvent("found",{detail:{query:e,words:i.words.map(n=>n.toLowerCase()),
hits:new Set(this.ats)}})),t&&this.step(1,!0))}step(e,t=!1){if(this.ats.length===0)return;let i=this.current>=0?this.ats[this.current]??-1:t?this.cursor-1:this.
cursor,n=e===1?this.ats.findIndex(o=>o>i):this.ats.findLastIndex(o=>o<i);n<0&&(n=e===1?0:this.ats.length-1),this.current=n,le(`Match ${n+1} of ${this.total}`),this.
dispatchEvent(new CustomEvent("find-at",{detail:this.ats[n]??0}))}status(){if(this.isBusy)return"\u2026";if(this.asked==="")return"";if(this.ats.length===0)return"\
no match";let e=this.current>=0?this.current:this.ats.indexOf(this.cursor);return e>=0?`${f(e+1)} of ${this.total}`:`${this.total} ${this.total==="1"?"match":"m\
atches"}`}render(){return h`<div class="find" role="search">
      <input type="search" aria-label="Find in this session" placeholder="Find in this session" autocomplete="off" spellcheck="false" .value=${this.text}
        @input=${this.typed} @keydown=${this.pressed}>
      <span class="find-count">${this.status()}</span>
      <button class="quiet" title="Previous match (N)" aria-label="Previous match" @click=${()=>this.step(-1)}>↑</button>
      <button class="quiet" title="Next match (n)" aria-label="Next match" @click=${()=>this.step(1)}>↓</button>
      ${this.asked===""?d:h`<button class="quiet" aria-label="Close the search" title="Close (Esc)" @click=${()=>this.dispatchEvent(new Event("close-find"))}>✕</button>`}
    </div>`}};u([y({attribute:!1})],U.prototype,"model",2),u([y({attribute:!1})],U.prototype,"query",2),u([y({attribute:!1})],U.prototype,"cursor",2),u([m()],U.
prototype,"text",2),u([m()],U.prototype,"ats",2),u([m()],U.prototype,"total",2),u([m()],U.prototype,"current",2),u([m()],U.prototype,"isBusy",2),u([y({attribute:!1})],
U.prototype,"hasEntry",2),U=u([k("pt-find")],U);var kt=50,ai=4e3,Ir=3e3,qe=class{constructor(s,e,t=0){this.facts=null;this.marks=[];this.leaf=null;this.filter="all";this.path=new Int32Array;this.failure=null;
this.changed=()=>{};this.kept=new Map;this.callers=new Map;this.loading=new Set;this.lanePaths=new Map;this.loaded=new Set;this.generation=0;this.opened=!1;this.
source=s,this.key=e,this.depth=t}async open(s,e){let t=++this.generation;this.facts??=await this.source.session(this.key);let i=await this.source.path(this.key,
s??this.facts.leaf,e);t===this.generation&&this.show(s??this.facts.leaf,e,i)}async readMarks(){this.marks.length>0||(this.marks=await this.source.marks(this.key),
this.changed())}show(s,e,t){this.opened=!0,this.leaf=s,this.filter=e,this.path=t,this.loaded=new Set,this.loading.clear(),this.changed()}async refresh(){let{facts:s,
path:e}=this,t=await this.source.session(this.key),n=this.leaf===s?.leaf?t.leaf:this.leaf,[o,a]=await Promise.all([this.source.path(this.key,n,this.filter),this.
source.marks(this.key)]);if(this.path!==e)return this.refresh();let l=o.length-e.length;return this.facts=t,this.marks=a,this.lanePaths.clear(),this.show(n,this.
filter,o),l}get isOpen(){return this.opened}get hasRows(){return this.kept.size>0||this.path.length===0||this.failure!==null}row(s){return this.kept.get(s)}isMerged(s){
return this.callerOf(s)!==null}callerOf(s){let e=this.callers.get(s);return e!==void 0&&this.place(e)>=0?e:null}want(s,e){for(let t=Math.max(0,Math.floor((s-8)/
kt));t*kt<=Math.min(e,this.path.length-1);t+=1)!this.loaded.has(t)&&!this.loading.has(t)&&this.fetchChunk(t)}async fetchChunk(s){let e=this.generation,t=this.path;
this.loading.add(s);try{this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:s*kt,count:kt})),this.failure=null}catch(i){this.failure===
null&&L(C(i)),this.failure=i}e!==this.generation||t!==this.path||(this.failure===null?this.loaded.add(s):await new Promise(i=>setTimeout(i,Ir)),this.loading.delete(
s),this.changed())}keep(s){for(let e of s){let t=qr(this.kept.get(e.at),e);this.kept.delete(t.at),this.kept.set(t.at,t);for(let i of t.calls)i.resultAt!==null&&
this.callers.set(i.resultAt,t.at)}if(!(this.kept.size<=ai)){for(let e of this.kept.keys()){if(this.kept.size<=ai/2)break;this.kept.delete(e)}this.loaded.clear()}}async loadAll(s,e){
let t=Math.min(s+e,this.path.length);for(let i=s;i<t;i+=200)this.keep(await this.source.rows(this.key,{leaf:this.leaf,filter:this.filter,from:i,count:Math.min(200,
t-i)}))}place(s){return ie(this.path,s)}nearest(s){let e=this.place(s);return e>=0||this.path.length===0?e:Math.min(this.path.length-1,Math.max(0,hi(this.path,s)-
1))}link(s,e="",t=this.leaf){return A(this.key,e,{leaf:t===(this.facts?.leaf??null)?null:t,e:s})}get laneCount(){return this.facts?.laneCount??this.facts?.lanes.
length??0}async lanes(s){let e=[...this.facts?.lanes??[]];for(;e.length<Math.min(s,this.laneCount);){let t=await this.source.lanes(this.key,e.length,200);if(t.length===
0)break;e.push(...t)}return e.slice(0,s)}lanePath(s){let e=this.lanePaths.get(s.leaf)??this.source.path(this.key,s.leaf,"all");return this.lanePaths.set(s.leaf,
e),e}async leafFor(s){return this.place(s)>=0?this.leaf:this.source.leafOf(this.key,s)}nextMark(s,e,t){let i=this.marks.filter(o=>o.kind===s&&this.place(o.at)>=
0).map(o=>o.at);return(t===1?i.find(o=>o>e):i.findLast(o=>o<e))??null}};function qr(r,s){return!r||JSON.stringify(r.body)!==JSON.stringify(s.body)?s:Object.assign(
r,s,{body:r.body})}function hi(r,s){let e=0,t=r.length;for(;e<t;){let i=e+t>>1;(r[i]??0)<s?e=i+1:t=i}return e}function ie(r,s){let e=hi(r,s);return r[e]===s?e:Hr(
r)?-1:r.indexOf(s)}var li=new WeakMap;function Hr(r){let s=li.get(r);return s===void 0&&(s=r.every((e,t)=>t===0||(r[t-1]??0)<e),li.set(r,s)),s}var ci=46,ui=24,Nr=350,xt=120,Zt=3e3,di=150,de=class extends Ie{constructor(){super(...arguments);this.version=0;this.drawn=[];this.wanted=xt;this.stops=[];this.
xs=[];this.loadedAs=""}willUpdate(e){let{facts:t,marks:i}=this.model;e.has("model")&&(this.wanted=xt);let n=`${this.model.key} ${t?.entries} ${i.length} ${this.
wanted}`;!t||n===this.loadedAs||(this.loadedAs=n,v(this.load(this.wanted)))}async load(e){let t=await this.model.lanes(e),i=await Promise.all(t.map(a=>this.model.
lanePath(a))),n=this.shownMarks().slice(0,Zt),o=new Set;this.drawn=t.map((a,l)=>{let c=i[l],p=l===0?0:Dr(c,i.slice(0,l)),g=n.filter(b=>!o.has(b.at)&&ie(c,b.at)>=
p);for(let b of g)o.add(b.at);return{lane:a,path:c,own:p,parent:p===0?-1:i.findIndex(b=>ie(b,c[p-1])>=0),y:30+l*ci,marks:g}}),this.scaleX()}shownMarks(){let e=this.
model.marks.filter(t=>t.kind==="user").length;return this.model.marks.filter(t=>t.kind!=="branch"&&(t.kind!=="user"||e<=di))}left(){let e=this.model.marks.filter(
n=>n.kind==="user").length,t=this.shownMarks().length;return[e>di?`${w(e,"user message")} not drawn`:"",t>Zt?`${w(t-Zt,"further dot")} not drawn`:""].filter(Boolean).
join(", ")}scaleX(){let e=new Set([0]);for(let{path:i,own:n,marks:o}of this.drawn){e.add(n).add(Math.max(0,n-1)).add(i.length-1);for(let a of o)e.add(ie(i,a.at))}
this.stops=[...e].sort((i,n)=>i-n);let t=ui;this.xs=this.stops.map((i,n)=>t+=n===0?0:10+9*Math.log2(i-(this.stops[n-1]??0)))}x(e){let t=0,i=this.stops.length-1;
for(;t<i;){let n=t+i>>1;(this.stops[n]??0)<e?t=n+1:i=n}return this.xs[t]??ui}get name(){return`Tree with ${f(this.drawn.length)} branches`}get size(){return{width:this.
drawn.length===0?0:(this.xs.at(-1)??0)+Nr,height:60+this.drawn.length*ci}}link(e,t){return this.model.link(t,"",e.lane.leaf)}line(e){let{lane:t,path:i,own:n,parent:o,
y:a}=e,l=this.x(Math.max(0,n)),c=this.x(i.length-1),p=this.drawn[o],g=p?`M${this.x(n-1)} ${p.y} C${this.x(n-1)+12} ${a}, ${this.x(n-1)} ${a}, ${Math.max(l,this.
x(n-1)+14)} ${a}`:`M${l} ${a}`,b=S(Ce(t),52);return O`<g class=${`branch-line ${t.isActive?"is-active":""} ${t.leaf===this.model.leaf?"is-shown":""}`}>
      <path d=${`${g} L${c} ${a}`}></path>
      <a href=${this.link(e,t.isActive?t.leaf:t.from??t.leaf)}>
        <circle class="leaf" cx=${c} cy=${a} r="6"></circle>
        <text x=${c+14} y=${a-2}>${b}</text>
        <text class="small" x=${c+14} y=${a+13}>${`${t.isActive?"current, ":""}${f(i.length-n)} entries`}</text>
      </a>
      ${e.marks.map($=>this.dot(e,$))}${this.labels(e)}
    </g>`}dot(e,t){let i=this.x(ie(e.path,t.at)),n=`${t.kind}: ${S(t.text??he(t.at),80)}`;return O`<a href=${this.link(e,t.at)} aria-label=${n} tabindex=${t.kind===
"user"?-1:0}><title>${n}</title>
      <circle class=${`mark is-${t.kind}`} cx=${i} cy=${e.y} r=${t.kind==="user"?3:4.5}></circle></a>`}labels(e){let t=-1/0;return e.marks.filter(({kind:i})=>i===
"label").map(i=>{let n=this.x(ie(e.path,i.at))-4,o=S(i.text??"",20);return n<t?O``:(t=n+o.length*6.2+8,O`<text class="small is-label" aria-hidden="true" x=${n} y=${e.
y-10}>${o}</text>`)})}drawing(){return O`${[...this.drawn].reverse().map(e=>this.line(e))}`}legend(){let e=["user","label","compaction","error"],t=this.model.laneCount-
this.drawn.length,i=this.left();return h`<span class="legend">${e.map(n=>h`<span class=${`key is-${n}`}>${n==="user"?"user message":n}</span>`)}</span>
      ${t>0&&this.drawn.length>0?h`<span class="more-lanes">${w(this.drawn.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.
wanted+=xt}>Show ${f(Math.min(xt,t))} more</button></span>`:d}
      ${i?h`<span class="muted">${i}</span>`:d}`}inWords(){return h`<ul>${this.drawn.map(e=>h`<li>
      <a href=${this.link(e,e.lane.leaf)}>${Ce(e.lane)}</a>${e.lane.isActive?" (current)":` (abandoned, forked after ${he(e.path[e.own-1]??0)})`}: ${f(e.path.length)} entries.
      ${e.marks.filter(t=>t.kind!=="user").slice(0,40).map(t=>h`<a href=${this.link(e,t.at)}>${t.kind} at ${he(t.at)}${t.text?`: ${S(t.text,60)}`:""}</a> `)}
    </li>`)}</ul>`}};u([y({attribute:!1})],de.prototype,"model",2),u([y({attribute:!1})],de.prototype,"version",2),u([m()],de.prototype,"drawn",2),u([m()],de.prototype,
"wanted",2),de=u([k("pt-graph")],de);function Dr(r,s){let e=0;for(let t of s){let[i,n]=[e,Math.min(r.length,t.length)];for(;i<n;){let o=i+n>>1;r[o]===t[o]?i=o+1:
n=o}e=Math.max(e,i)}return e}var Ur=26,Je=60,St=40,pe=class extends x{constructor(){super(...arguments);this.version=0;this.lanes=[];this.wanted=St;this.virtual=new G(this,()=>({count:Math.
max(0,...this.lanes.map(({path:e})=>e.length)),scroller:".lanes-scroller",estimate:()=>Ur}));this.loadedAs=""}willUpdate(e){let t=this.model.facts;e.has("model")&&
(this.wanted=St);let i=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.wanted}`;t&&i!==this.loadedAs&&(this.loadedAs=i,v(this.load(this.wanted)))}async load(e){
let t=await this.model.lanes(e);this.lanes=await Promise.all(t.map(async i=>{let n=await this.model.lanePath(i),o=this.lanes.find(l=>l.lane.leaf===i.leaf&&l.path===
n),a=i.from===null?n.length:Math.max(0,ie(n,i.from));return o??{lane:i,path:n,own:a,rows:new Map,asked:new Set}}))}updated(){let e=this.virtual.range;if(e)for(let t of this.
lanes)for(let i=Math.floor(e.startIndex/Je);i<=Math.floor(e.endIndex/Je);i+=1)v(this.fetch(t,i))}async fetch(e,t){if(e.asked.has(t)||t*Je>=e.path.length)return;
e.asked.add(t);let i={leaf:e.lane.leaf,filter:"all",from:t*Je,count:Je,brief:!0};for(let n of await this.model.source.rows(this.model.key,i))e.rows.set(n.at,n);
this.requestUpdate()}toFork(e){this.virtual.scrollTo(Math.max(0,e.own-3),"start")}heading(e){let{lane:t,path:i,own:n}=e,o=t.leaf===this.model.leaf;return h`<section class=${t.
isActive?"lane-head is-active":"lane-head"} aria-label=${Ce(t)}>
      <h2><a href=${this.model.link(t.isActive?t.leaf:t.from??t.leaf,"",t.leaf)} aria-current=${o?"true":d}>${S(Ce(t),90)}</a></h2>
      <p class="muted">${t.isActive?h`<span class="chip is-current">current</span>`:h`<span class="chip">abandoned</span>`}
        ${f(i.length)} entries, ${f(i.length-n)} its own · ${ce(t.lastTime)}</p>
      ${t.summary?h`<p class="lane-summary" title=${t.summary}>${S(t.summary,180)}</p>`:d}
      ${n>0&&n<i.length?h`<button class="quiet" @click=${()=>this.toFork(e)}>Go to the fork (after ${he(i[n-1]??0)})</button>`:d}
    </section>`}cell(e,t){let i=e.path[t];if(i===void 0)return h`<div class="lane-cell is-none"></div>`;let n=e.rows.get(i),o=t>=e.own||e.lane.isActive,a=["lane\
-cell",`is-${n?.kind??"empty"}`,o?"":"is-shared",t===e.own&&t>0?"is-fork":"",n?.isError?"is-failed":""],l=this.model.link(i,"",e.lane.leaf);return h`<a class=${a.
filter(Boolean).join(" ")} href=${l} tabindex=${o?0:-1}>
      <span class="dot" aria-hidden="true"></span>${n?.label?h`<span class="chip is-label">${n.label}</span>`:d}<span class="tree-text">${n?S(n.summary,120)||n.
who:"\u2026"}</span></a>`}render(){let e=this.virtual.items,t=e[0]?.start??0,i=this.model.laneCount-this.lanes.length;return h`${i>0&&this.lanes.length>0?h`<p class="more-lanes">${w(
this.lanes.length,"branch","branches")} of ${f(this.model.laneCount)} <button @click=${()=>this.wanted+=St}>Show ${f(Math.min(St,i))} more</button></p>`:d}
    <div class="lanes-scroller" tabindex="0" role="region" aria-label="Branches side by side">
      <div class="lanes" style=${R({"--lanes":String(Math.max(1,this.lanes.length))})}>
        <div class="lane-heads">${this.lanes.map(n=>this.heading(n))}</div>
        <div class="lane-rows" style=${R({height:`${this.virtual.total}px`})}>
          <div class="lane-window" style=${R({transform:`translateY(${t}px)`})}>
            ${e.map(n=>h`<div class="lane-row">${this.lanes.map(o=>this.cell(o,n.index))}</div>`)}
          </div>
        </div>
      </div>
    </div>`}};u([y({attribute:!1})],pe.prototype,"model",2),u([y({attribute:!1})],pe.prototype,"version",2),u([m()],pe.prototype,"lanes",2),u([m()],pe.prototype,
"wanted",2),pe=u([k("pt-lanes")],pe);var Br={user:{from:.1,to:.45,color:"--user",height:2},branch:{from:.5,to:.62,color:"--branch",height:3},label:{from:.62,to:.78,color:"--label",height:3},compaction:{
from:0,to:1,color:"--compaction",height:2},error:{from:.8,to:1,color:"--error",height:3}},me=class extends x{constructor(){super(...arguments);this.version=0;this.
seen={first:0,last:0};this.hits=new Set;this.marksDrawn=[];this.observer=new ResizeObserver(()=>this.redraw());this.scheme=matchMedia("(prefers-color-scheme: da\
rk)");this.redraw=()=>{this.marksDrawn=[],this.requestUpdate()};this.dragged=e=>{if(e.buttons!==1)return;let t=this.getBoundingClientRect(),i=this.seen.last-this.
seen.first;this.go(Math.round((e.clientY-t.top)/t.height*this.model.path.length-i/2))};this.grabbed=e=>{e.currentTarget.setPointerCapture(e.pointerId),this.dragged(
e)};this.pressed=e=>{let t=Math.max(1,Math.round(this.model.path.length/20)),n={ArrowDown:1,ArrowUp:-1,PageDown:t,PageUp:-t,Home:-1/0,End:1/0}[e.key];n!==void 0&&
(e.preventDefault(),e.stopPropagation(),this.go(Math.max(0,Math.min(this.model.path.length-1,this.seen.first+n))))}}connectedCallback(){super.connectedCallback(),
this.observer.observe(this),this.scheme.addEventListener("change",this.redraw),window.addEventListener("theme",this.redraw)}disconnectedCallback(){super.disconnectedCallback(),
this.observer.disconnect(),this.scheme.removeEventListener("change",this.redraw),window.removeEventListener("theme",this.redraw)}updated(){this.drawMarks(),this.
drawWindow()}drawMarks(){let{path:e,marks:t}=this.model,i=[e,t,this.hits,this.clientHeight,this.clientWidth],n=this.querySelector("canvas"),o=n?.getContext("2d");
if(i.every((E,M)=>E===this.marksDrawn[M])||!n||!o)return;this.marksDrawn=i;let a=window.devicePixelRatio,[l,c]=[this.clientWidth,this.clientHeight];n.width=l*a,
n.height=c*a,o.setTransform(a,0,0,a,0,0);let p=new Map,g=E=>{let M=p.get(E);return M!==void 0?M:(n.style.color=`var(${E})`,p.set(E,getComputedStyle(n).color),p.
get(E)??"")},b=c/Math.max(1,this.model.path.length),$=(E,M,fe=6)=>{let Ne=this.model.place(E);Ne<0||(o.fillStyle=g(M.color),o.fillRect(M.from*l,Ne*b,(M.to-M.from)*
l,Math.max(M.height,Math.min(b,fe))))};for(let E of this.model.marks)$(E.at,Br[E.kind]);for(let E of this.hits)$(E,{from:0,to:1,color:"--hit-strong",height:1.5},
1.5)}drawWindow(){let e=this.querySelector(".window");if(!e)return;let t=this.clientHeight/Math.max(1,this.model.path.length);e.style.top=`${this.seen.first*t}p\
x`,e.style.height=`${Math.max(6,(this.seen.last-this.seen.first+1)*t)}px`}go(e){this.dispatchEvent(new CustomEvent("go-place",{detail:e}))}render(){let e=this.model.
path.length,t=Math.max(0,this.seen.first)+1;return h`<div
      class="map" role="slider" tabindex="0" aria-label="Position in the conversation" aria-orientation="vertical" aria-valuemin="1" aria-valuemax=${Math.max(1,
e)}
      aria-valuenow=${t} aria-valuetext="Entry ${f(t)} of ${f(e)}" @pointerdown=${this.grabbed} @pointermove=${this.dragged} @keydown=${this.pressed}
      title="User messages, branches, labels, compactions, errors"
    ><canvas aria-hidden="true"></canvas><div class="window"></div></div>`}};u([y({attribute:!1})],me.prototype,"model",2),u([y({attribute:!1})],me.prototype,"v\
ersion",2),u([y({attribute:!1})],me.prototype,"seen",2),u([y({attribute:!1})],me.prototype,"hits",2),me=u([k("pt-minimap")],me);var Jt=50,jr=400,V=class extends x{constructor(){super(...arguments);this.at=null;this.facts=null;this.reply=null;this.next=null;this.failure="";this.loadedAs=""}willUpdate(e){
let t=`${this.model.key} ${this.model.leaf} ${this.at}`;t===this.loadedAs||this.model.path.length===0||(this.loadedAs=t,v(this.load()))}async load(){let e=this.
at===null?this.model.path.length-1:this.model.nearest(this.at),t=await this.find(e,-1)??await this.find(e,1);if(this.reply=t,!t){this.failure="There is no reply\
 on this branch.";return}this.facts=null;try{this.facts=await this.model.source.request(this.model.key,t.at),this.failure=""}catch(i){this.failure=C(i)}this.next=
(await this.find(this.model.place(t.at)+1,1))?.at??null}async find(e,t){for(let i=e;i>=0&&i<this.model.path.length;i+=t*Jt){let n=t===1?i:Math.max(0,i-Jt+1),o=t===
1?Jt:i-n+1,a=await this.model.source.rows(this.model.key,{leaf:this.model.leaf,filter:this.model.filter,from:n,count:o,brief:!0}),l=t===1?a.find(pi):a.findLast(
pi);if(l)return l}return null}step(e,t){return t===null?h`<span class="button is-disabled">${e}</span>`:h`<a class="button" href=${this.model.link(t,"request")}>${e}</a>`}cacheBreak(e){
if(e.previous===null)return h`<p class="notice">This is the first request, so nothing was cached before it.</p>`;if(!e.cacheBreak)return h`<p class="notice is-good">The request repeats the one before it from the start, so the cached prefix holds.</p>`;
let{path:t,what:i,body:n,cause:o}=e.cacheBreak;return h`<div class="notice is-bad"><p>The cached prefix broke${o?` after a ${o}`:""}: ${i} (<code>${t}</code>)</p>${j(
n)}</div>`}window({total:e,from:t,shown:i}){if(e===void 0||t===void 0||i===void 0||i>=e)return d;let n=t+i;return this.model.source.requestsHere?h`<p class="window">${t===
0?"The first":`The ${f(t)} messages before these are those of the request before; the last`} ${f(i)} of ${f(e)}:</p>`:h`<p class="window">Messages ${f(t)} to ${f(
n-1)} of ${f(e)}
      ${t>0?h`<button @click=${()=>this.show(Math.max(0,t-jr))}>Earlier</button> <button @click=${()=>this.show(0)}>First</button>`:d}
      ${n<e?h`<button @click=${()=>this.show(n)}>Later</button>`:d}</p>`}show(e){let t=this.facts?.at;t!==void 0&&v(this.model.source.request(this.model.key,t,e).
then(i=>{this.facts?.at===t&&(this.facts={...this.facts,body:i.body,from:i.from??0,shown:i.shown??0})}))}copy(e){let t=j(e.body).textContent??"";v(z(t).then(()=>L(
"Copied")))}render(){let{facts:e,reply:t}=this;return h`<div class="page-pad scrolls" tabindex="0" role="region" aria-label="Request">
      <div class="request-bar">
        ${this.step("\u2039 Previous",e?.previous??null)} ${this.step("Next \u203A",this.next)}
        ${t?h`<p><a href=${A(this.model.key,"",{e:t.at})}>Reply</a> <span class="muted">${S(t.summary,120)}</span></p>`:d}
        ${e?h`<button class="quiet" @click=${()=>this.copy(e)}>${(e.shown??0)<(e.total??0)?"Copy what is shown":"Copy the request"}</button>`:d}
      </div>
      ${this.model.source.requestsHere&&!this.failure?h`<p class="muted">${this.model.source.requestsHere}</p>`:d}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:d}
      ${e&&!this.failure?h`${this.cacheBreak(e)}
        <div class="columns is-request">
          <section class="card"><h2>Changes since the previous request</h2>${e.previous===null?h`<p class="muted">This is the first request.</p>`:!e.difference||
e.difference.length===0?h`<p class="muted">Nothing changed.</p>`:j(e.difference)}</section>
          <section class="card"><h2>Request${e.model?h` to <code>${e.model}</code>`:d}</h2>${this.window(e)}${j(e.body)}</section>
        </div>`:d}
    </div>`}};u([y({attribute:!1})],V.prototype,"model",2),u([y({attribute:!1})],V.prototype,"at",2),u([m()],V.prototype,"facts",2),u([m()],V.prototype,"reply",
2),u([m()],V.prototype,"next",2),u([m()],V.prototype,"failure",2),V=u([k("pt-request")],V);function pi(r){return r.kind==="assistant"}var es=100,re=class extends x{constructor(){super(...arguments);this.depth=1;this.model=null;this.failure="";this.toggled=e=>{e.target===e.currentTarget&&e.currentTarget.
open&&this.model===null&&this.load()}}async load(){let e=new qe(this.source,this.member.key,this.depth);try{await e.open(null,"all"),await e.loadAll(0,es),this.
model=e,this.failure=""}catch(t){this.failure=C(t)}}render(){let e=[...this.model?.path.subarray(0,es)??[]].filter(i=>!this.model?.isMerged(i)),t=(this.model?.path.
length??0)-es;return h`<details class="subagent" @toggle=${this.toggled}>
      <summary><span class="name">Sub-agent</span> ${this.member.title}</summary>
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:h`<p><a href=${A(this.member.key)}>Open this session</a></p>
      ${this.model?e.map((i,n)=>this.row(i,n)):h`<p class="muted">Loading…</p>`}
      ${t>0?h`<p class="muted">${w(t,"more entry","more entries")}: open the session to read them.</p>`:d}`}
    </details>`}row(e,t){let i=this.model?.row(e);return!i||!this.model||i.kind==="note"?d:$t(this.model,i,{place:t,isCursor:!1,isFolded:!1,isHit:!1,isNested:!0})}};
u([y({attribute:!1})],re.prototype,"source",2),u([y({attribute:!1})],re.prototype,"member",2),u([y({attribute:!1})],re.prototype,"depth",2),u([m()],re.prototype,
"model",2),u([m()],re.prototype,"failure",2),re=u([k("pt-subagent")],re);var Kr=24,et=100,zr=14,Wr={user:"User: ",assistant:"Assistant: "},X=class extends x{constructor(){super(...arguments);this.filter="default";this.cursor=-1;this.
version=0;this.total=0;this.active=-1;this.rows=new Map;this.pages=new Set;this.places=new Map;this.virtual=new G(this,()=>({count:this.total,scroller:".tree-sc\
roller",estimate:()=>Kr,overscan:10}));this.shownAs="";this.followed=-1;this.generation=0;this.isNew=!0;this.pressed=e=>{let i={ArrowDown:1,j:1,ArrowUp:-1,k:-1,
PageDown:20,PageUp:-20,Home:-this.total,g:-this.total,End:this.total,G:this.total}[e.key];if(e.key==="Enter"||e.key===" ")this.choose(this.active);else if(i!==void 0)
this.move(Math.max(0,Math.min(this.total-1,this.active+i)));else if(e.key==="ArrowLeft"||e.key==="ArrowRight")this.toBranch(e.key==="ArrowLeft"?-1:1);else return;
e.preventDefault(),e.stopPropagation()}}willUpdate(e){let t=this.model.facts,i=`${this.model.key} ${t?.entries} ${t?.leaf} ${this.filter}`;if(t&&this.model.hasRows&&
i!==this.shownAs){let n=!this.shownAs.startsWith(`${this.model.key} `)||!this.shownAs.endsWith(this.filter);this.shownAs=i,this.forget(n),v(this.load(0))}!this.
model.hasRows||!e.has("cursor")&&this.followed===this.cursor||(this.followed=this.cursor,v(this.follow()))}forget(e){this.generation+=1,this.pages.clear(),this.
places.clear(),e&&(this.rows=new Map),this.isNew||=e}updated(){let e=this.virtual.range;if(!(!e||this.total===0))for(let t=Math.floor(e.startIndex/et);t<=Math.floor(
e.endIndex/et);t+=1)v(this.load(t))}async load(e){if(this.pages.has(e))return;let t=this.generation;this.pages.add(e);let i=await this.model.source.tree(this.model.
key,{from:e*et,count:et,filter:this.filter});t===this.generation&&this.keep(i.from,i.rows,i.total)}keep(e,t,i){t.forEach((n,o)=>{this.rows.set(e+o,n),this.places.
set(n.at,e+o)}),this.total=i,this.requestUpdate()}async follow(){if(this.cursor<0)return;if(!this.places.has(this.cursor)){let i=this.generation,n=await this.model.
source.tree(this.model.key,{count:et,filter:this.filter,at:this.cursor});i===this.generation&&this.keep(n.from??0,n.rows,n.total)}let e=this.places.get(this.cursor)??
this.nearest(this.cursor);if(e===void 0)return;this.active=e;let t=this.virtual.range;(this.isNew||!t||e<=t.startIndex||e>=t.endIndex)&&this.virtual.scrollTo(e,
"center"),this.isNew=!1}nearest(e){let t=-1;for(let[i]of this.places)i<e&&i>t&&(t=i);return this.places.get(t)}choose(e){let t=this.rows.get(e);t&&(this.active=
e,this.dispatchEvent(new CustomEvent("choose",{detail:t.at,bubbles:!0})))}toBranch(e){for(let t=this.active+e;this.rows.has(t);t+=e)if((this.rows.get(t)?.children??
0)>1)return this.move(t)}move(e){this.active=e,this.virtual.scrollTo(e)}line(e,t){let i=this.rows.get(e),n=e===this.active,o={transform:`translateY(${t}px)`,"--\
depth":String(Math.min(i?.depth??0,zr))};if(!i)return h`<div class="tree-row" role="treeitem" aria-level="1" style=${R(o)}><span class="muted">…</span></div>`;
let a=["tree-row",`is-${i.role??i.kind}`,i.active?"is-active":"is-abandoned",n?"is-here":"",n?"is-focus":"",i.begins&&e>0?"begins":"",i.isError?"is-failed":""];
return h`<div
      class=${a.filter(Boolean).join(" ")} id="tree-${i.at}" role="treeitem" aria-level=${i.depth+1} aria-selected=${i.at===this.cursor?"true":"false"}
      aria-setsize=${this.total} aria-posinset=${e+1} data-at=${i.at} style=${R(o)} @click=${()=>this.choose(e)}
    ><span class="dot" aria-hidden="true"></span><span class="hidden">${Wr[i.role??""]??""}</span>${i.label===null||i.label===void 0?d:h`<span class="chip is-label">${i.
label}</span>`}<span class="tree-text">${S(i.text,120)||i.kind}</span>${i.children>1?h`<span class="branches" title="Branches here">${i.children}</span>`:d}${i.
isLeaf?h`<span class="chip">current</span>`:d}</div>`}render(){let e=this.virtual.items,t=this.rows.get(this.active);return h`<div class="tree-scroller" role="tree" aria-label="Tree of entries" tabindex="0" aria-activedescendant=${t?
`tree-${t.at}`:d} @keydown=${this.pressed}>
      <div class="tree-rows" role="none" style=${R({height:`${this.virtual.total}px`})}>
        ${Oe(e,i=>i.key,i=>this.line(i.index,i.start))}
      </div>
    </div>`}};u([y({attribute:!1})],X.prototype,"model",2),u([y({attribute:!1})],X.prototype,"filter",2),u([y({attribute:!1})],X.prototype,"cursor",2),u([y({attribute:!1})],
X.prototype,"version",2),u([m()],X.prototype,"total",2),u([m()],X.prototype,"active",2),X=u([k("pt-tree")],X);var ts=[{keys:["j","ArrowDown"],shown:"j \u2193",does:"next message",action:"down"},{keys:["k","ArrowUp"],shown:"k \u2191",does:"previous message",action:"up"},
{keys:[" ","PageDown"],shown:"Space PgDn",does:"a page down",action:"pageDown"},{keys:["PageUp"],shown:"PgUp",does:"a page up",action:"pageUp"},{keys:["g","Home"],
shown:"g Home",does:"to the beginning",action:"first"},{keys:["G","End"],shown:"G End",does:"to the end",action:"last"},{keys:["]"],shown:"]",does:"next message\
 of the user",action:"nextUser"},{keys:["["],shown:"[",does:"previous message of the user",action:"previousUser"},{keys:["}"],shown:"}",does:"next error",action:"\
nextError"},{keys:["{"],shown:"{",does:"previous error",action:"previousError"},{keys:["/"],shown:"/",does:"find in this session",action:"find"},{keys:["n"],shown:"\
n",does:"next match",action:"findNext"},{keys:["N"],shown:"N",does:"previous match",action:"findPrevious"},{keys:["o","Enter"],shown:"o Enter",does:"fold or unf\
old the message",action:"fold"},{keys:["O"],shown:"O",does:"fold or unfold all messages",action:"foldAll"},{keys:["y"],shown:"y",does:"copy the message",action:"\
copy"},{keys:["Y"],shown:"Y",does:"copy its code block",action:"copyCode"},{keys:["L"],shown:"L",does:"copy a link to the message",action:"link"},{keys:["l"],shown:"\
l",does:"set a label (with --allow-edit)",action:"label"},{keys:["r"],shown:"r",does:"the request for this reply",action:"request"},{keys:["t"],shown:"t",does:"\
to the tree, and back",action:"tree"},{keys:["q"],shown:"q",does:"back to the sessions",action:"leave"}],mi=[{title:"Conversation",rows:ts.map(({shown:r,does:s})=>[
r,s])},{title:"Everywhere",rows:[["Ctrl+K \u2318K","sessions, views and commands"],["1 \u2026 6","views of a session"],["?","this help"],["Esc","close, or leave\
 a field"]]},{title:"Sessions",rows:[["/","search"],["j \u2193","next session"],["k \u2191","previous session"],["Enter","open it"]]},{title:"Tree",rows:[["j \u2193 \
k \u2191","move"],["\u2190 \u2192","to the previous or next branch point"],["Enter","show the entry"],["t","back to the conversation"]]},{title:"Lanes, graphs a\
nd charts",rows:[["Tab","to the next part"],["\u2190 \u2192 \u2191 \u2193","move, or pan"],["+ \u2212","zoom a graph"],["0","show all of a graph"],["Enter","ope\
n what is selected"]]}];function Ae(r){let s=r.target;return s!==null&&(s.isContentEditable||/^(?:INPUT|TEXTAREA|SELECT)$/.test(s.tagName))}function fi(r){let s=r.
target;return s!==null&&s.closest("button, a[href], summary, [role=slider], [role=tree]")!==null}var He=class{constructor(s){this.ends=new WeakMap;this.timer=0;this.host=s,s.addController(this)}hostDisconnected(){clearTimeout(this.timer)}watch(s){let e=Date.
now();for(let i of s)i.isLive&&!this.ends.has(i)&&this.ends.set(i,e+(i.liveMs??0));clearTimeout(this.timer);let t=s.map(i=>this.ends.get(i)??0).filter(i=>i>e);t.
length!==0&&(this.timer=window.setTimeout(()=>{this.host.requestUpdate(),this.watch(s)},Math.min(...t)-e))}has(s){return(this.ends.get(s)??0)>Date.now()}},Et="S\
omething was written a moment ago";function Tt(r){try{return localStorage.getItem(`pitree-${r}`)}catch{return null}}function At(r,s){try{localStorage.setItem(`pitree-${r}`,s)}catch{}}var Rt=["all","no-tools","user","labeled"];var Gr={default:"",all:"Everything","no-tools":"Without tools",user:"User only",labeled:"Labeled only"};function gi(r,s,e){let t={leaf:r.route.parameters.get("l\
eaf"),e:r.cursor>=0?r.cursor:null};return h`<div class="session-head">
    <div class="title-line">
      ${r.source.hasList?h`<a class="back" href=${T("sessions")} aria-label="All sessions">‹</a>`:d}
      <h1 title=${e.title}>${e.title}</h1>
      ${r.live.has(e)?h`<span class="live" title=${Et}>live</span>`:d}
      <p class="facts">${Xr(e).map(([i,n])=>h`<span title=${n}>${i}</span>`)}${Jr(e,r.source.hasList)}</p>
    </div>
    <nav class="tabs" aria-label="Views of the session">
      ${se.filter(({tab:i})=>r.source.tabs.has(i)).map(({tab:i,name:n})=>h`<a href=${A(s.key,i,t)} aria-current=${i===r.route.tab?"page":d}>${n}${Vr(i,e)}</a>`)}
    </nav>
    ${Yr(e)}
  </div>`}function Yr({problems:r=[],path:s}){let[e,...t]=r;if(!e)return d;let i=({line:n,text:o,advice:a})=>h`${n>0?`line ${f(n)}: `:""}${o}; ${a}`;return h`<div class="notice is-bad damage" role="note"><p><b>This session file is damaged</b>: ${i(
e)}.</p>
    ${t.length===0?d:h`<details><summary>${w(t.length,"more problem","more problems")}</summary><ul>${t.map(n=>h`<li>${i(n)}</li>`)}</ul></details>`}
    <p>Show everything: <code>pitree check ${s===""?"FILE":ss(s)}</code></p></div>`}function Vr(r,s){let e=r==="lanes"?s.laneCount??s.lanes.length:r==="family"?
s.family.length:0;return e>1?h` <span class="badge">${e}</span>`:d}function Xr(r){return[[D(r.cwd),r.cwd],[ce(r.modified),xe(r.modified)],[w(r.entries,"entry","\
entries"),""],[`${P(r.tokens??0)} tokens`,f(r.tokens??0)],[ke(r.cost??null),"Recorded cost"]]}function ss(r){let[s,e]=r.startsWith("~/")?["~/",r.slice(2)]:["",r];
return/^[\w@%+=:,./-]+$/.test(e)?r:`${s}'${e.replaceAll("'","'\\''")}'`}function Qr({cwd:r,id:s}){return`cd ${ss(r)} && pi --session ${ss(s)}`}function Zr(r){let s=Qr(
r);return h`<dt>Resume</dt><dd><code>${s}</code> <button class="quiet" @click=${()=>v(z(s).then(()=>L("Command copied")))}>Copy</button></dd>`}function Jr(r,s){
return h`<details class="more-facts"><summary>Details</summary><dl>
    <dt>File</dt><dd><code>${r.path}</code></dd><dt>Id</dt><dd><code>${r.id}</code></dd><dt>Created</dt><dd>${xe(r.created)}</dd>
    ${s&&r.id!==""&&r.cwd!==""?Zr(r):d}
    ${r.facts.map(([e,t])=>h`<dt>${e}</dt><dd>${t}</dd>`)}
  </dl></details>`}function yi(r,s){return h`${sn(r,s)}
    <div class=${r.showsTree?"panes has-tree":"panes"}>
      ${r.showsTree?h`<pt-tree .model=${s} .filter=${s.filter==="all"?"default":s.filter} .cursor=${r.cursor} .version=${r.version}
        @choose=${e=>{r.goTo(e.detail,{push:!0})}}></pt-tree>`:d}
      <pt-conversation .model=${s} .cursor=${r.cursor} .words=${r.findWords} .hits=${r.hits} .version=${r.version}
        @row-action=${r.rowAction} @click=${e=>tn(r,e)} @seen=${e=>en(r,e.detail)}></pt-conversation>
      <pt-minimap .model=${s} .version=${r.version} .seen=${r.seen} .hits=${r.hits}
        @go-place=${e=>r.conversation?.scrollToPlace(e.detail)}></pt-minimap>
      ${r.newRows>0?h`<button class="new-rows" @click=${()=>r.toNewest()}>${w(r.newRows,"new entry","new entries")} ↓</button>`:d}
    </div>`}function en(r,s){r.seen=s,s.last>=(r.model?.path.length??0)-1&&(r.newRows=0)}function tn(r,s){let e=s.target,t=e.closest(".slot > article");!t||e.closest(
"a, button")||!getSelection()?.isCollapsed||(r.cursor=Number(t.dataset.at),r.noteCursor(r.cursor))}function sn(r,s){let e=s.facts?.lanes.find(t=>t.leaf===s.leaf);
return h`<div class="toolbar">
    <button class="quiet" aria-pressed=${r.showsTree?"true":"false"} title="Tree (t)" @click=${()=>r.toggleTree()}>Tree</button>
    <label class="select"><span class="hidden">Filter</span>
      <select @change=${t=>r.setFilter(t.target.value)}>
        ${Rt.map(t=>h`<option value=${t} ?selected=${t===s.filter}>${Gr[t]}</option>`)}
      </select></label>
    <span class="spacer">${e&&!e.isActive?h`<span class="chip">abandoned branch</span> <a href=${A(s.key)}>Show the current one</a>`:d}</span>
    <pt-find .model=${s} .query=${r.findText} .hasEntry=${r.route.parameters.has("e")||r.route.parameters.has("id")} .cursor=${r.cursor}
      @found=${t=>r.setFound(t.detail.query,t.detail.words,t.detail.hits)}
      @find-at=${t=>{r.goTo(t.detail)}} @close-find=${()=>rn(r)}></pt-find>
    <button class="quiet" title="Fold or unfold all messages (O)" @click=${()=>r.conversation?.foldAll(!r.conversation.isAllFolded)}>Fold</button>
    <button class="quiet" title="Print this branch" @click=${()=>r.print()}>Print</button>
  </div>`}function rn(r){r.setFound("",[],new Set),r.conversation?.show(r.cursor,{focus:!0,align:"auto"})}async function is(r,s,e=0){let t=Math.min(s.path.length,e+wt);L(t-e<s.path.length?`Preparing entries ${f(e+1)} to ${f(t)} of ${f(s.path.length)}\u2026`:"Prepari\
ng the pages\u2026"),await s.loadAll(e,wt),await nn(r,e),window.print(),await rs(r)}async function rs(r){r.isPrinting&&(r.isPrinting=!1,await r.updateComplete,r.
show(r.cursor,{align:"center"}))}async function nn(r,s){r.printedFrom=s,r.isPrinting=!0,await r.updateComplete}var F=class extends x{constructor(){super(...arguments);this.model=null;this.version=0;this.cursor=-1;this.seen={first:0,last:0};this.hits=new Set;this.findText=
"";this.findWords=[];this.newRows=0;this.showsTree=Tt("tree")!=="no"&&innerWidth>760;this.failure="";this.live=new He(this);this.openedAs="";this.openedId="";this.
isStale=!1;this.isRefreshing=!1;this.noteCursor=K(300,e=>{this.isConnected&&this.route.tab===""&&this.cursor===e&&_(Fe(this.here,{id:null,e}),!0)});this.printing=
()=>{!this.conversation||this.conversation.isPrinting||(this.conversation.printedFrom=0,this.conversation.isPrinting=!0)};this.printed=()=>{this.conversation&&v(
rs(this.conversation))};this.rowAction=e=>this.act(e.detail.action,e.detail.at);this.actions={down:()=>this.moveTo(this.conversation?.step(this.cursor,1)??null),
up:()=>this.moveTo(this.conversation?.step(this.cursor,-1)??null),pageDown:()=>this.page(1),pageUp:()=>this.page(-1),first:()=>this.moveTo(this.model?.path[0]??
null,"start"),last:()=>this.moveTo(this.lastShown(),"end"),nextUser:()=>this.toMark("user",1),previousUser:()=>this.toMark("user",-1),nextError:()=>this.toMark(
"error",1),previousError:()=>this.toMark("error",-1),find:()=>this.finder?.focusField(),findNext:()=>this.finder?.step(1),findPrevious:()=>this.finder?.step(-1),
fold:()=>this.conversation?.fold(this.cursor),foldAll:()=>this.conversation?.foldAll(!this.conversation.isAllFolded),copy:()=>this.act("copy",this.cursor),copyCode:()=>this.
act("copyCode",this.cursor),link:()=>this.act("link",this.cursor),label:()=>this.act("label",this.cursor),request:()=>this.act("request",this.cursor),tree:()=>this.
toTree(),leave:()=>_(this.route.tab===""?T("sessions"):A(this.route.key))};this.pressed=e=>{if(e.defaultPrevented||Ae(e)||document.querySelector("dialog[open]"))
return;if((e.ctrlKey||e.metaKey)&&e.key==="p"&&this.route.tab==="")return e.preventDefault(),this.print();if(e.ctrlKey||e.metaKey||e.altKey)return;let t=se.find(
o=>o.key===e.key);if(t&&this.source.tabs.has(t.tab))return _(A(this.route.key,t.tab,{leaf:this.route.parameters.get("leaf"),e:this.cursor>=0?this.cursor:null}));
let i=ts.find(({keys:o})=>o.includes(e.key)),n=(e.key==="Enter"||e.key===" ")&&fi(e);!i||n||this.route.tab!==""&&i.action!=="leave"||(e.preventDefault(),this.actions[i.
action]())}}connectedCallback(){super.connectedCallback(),window.addEventListener("keydown",this.pressed),window.addEventListener("beforeprint",this.printing),window.
addEventListener("afterprint",this.printed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed),window.removeEventListener(
"beforeprint",this.printing),window.removeEventListener("afterprint",this.printed)}willUpdate(e){(e.has("route")||e.has("source"))&&this.followRoute()}followRoute(){
let{key:e,parameters:t}=this.route;this.model?.key!==e&&(this.model=new qe(this.source,e),this.model.changed=()=>this.loaded(),this.cursor=-1,this.openedAs="",this.
hits=new Set);let i=Ye(t.get("leaf")),n=Rt.find(c=>c===t.get("filter"))??"all",o=bt(this.route),a=Vt(this.route),l=`${i} ${n}`;this.findText=t.get("find")??"",l!==
this.openedAs?(this.openedAs=l,v(this.open(this.model,i,n))):a!==""&&a!==this.openedId&&this.model.isOpen?v(this.reachId(a)):o!==null&&o!==this.cursor&&this.model.
isOpen&&this.reach(o)}reach(e){this.route.tab===""&&(this.model?.place(e)??0)<0?v(this.goTo(e)):this.show(e)}async reachId(e){let t=await this.entryOf(e);t!==null&&
e===this.openedId&&this.reach(t)}loaded(){this.cursor=this.model?.callerOf(this.cursor)??this.cursor,this.model?.facts&&this.live.watch([this.model.facts]),this.
version+=1}async open(e,t,i){try{await e.open(t,i),this.failure="",document.title=`${S(e.facts?.title??"Session",80)} \xB7 pitree`,await this.updateComplete;let n=bt(
this.route)??await this.entryOf(Vt(this.route));this.route.tab===""?this.begin(n):n!==null&&(this.cursor=n),await e.readMarks()}catch(n){this.failure=C(n)}}async entryOf(e){
if(this.openedId=e,e==="")return null;let t=await this.source.resolve(this.route.key,e);return t>=0?t:Ye(/^e(\d+)$/.exec(this.route.entry)?.[1]??null)}begin(e){
e!==null?this.reach(e):this.cursor<0?this.cursor=this.model?.path[0]??-1:this.show(this.cursor)}get here(){return{...this.route,parameters:Ge(location.hash).parameters}}async goTo(e,{
push:t=!1,focus:i=!1}={}){let n=this.model;if(!n)return;let o=await n.leafFor(e),a=o!==n.leaf&&o!==null,l=A(n.key,"",{...Object.fromEntries(this.here.parameters),
leaf:a?o:this.here.parameters.get("leaf"),id:null,e});t||a?(a&&L("On another branch: switched to it."),_(l,!t)):(this.show(e,i),_(l,!0))}show(e,t=!1){this.cursor=
this.model?.callerOf(e)??e,this.version+=1,this.updateComplete.then(()=>this.conversation?.show(e,{focus:t}))}moveTo(e,t="auto"){e!==null&&(this.cursor=e,this.updateComplete.
then(()=>this.conversation?.show(e,{focus:!0,align:t})),this.noteCursor(e))}async liveChange(e){if(!(!e.all&&!e.changed.includes(this.route.key))){if(this.failure)
return this.openedAs="",this.followRoute();if(this.isStale=!0,!this.isRefreshing){this.isRefreshing=!0;try{for(;this.isStale;)this.isStale=!1,await this.refresh()}finally{
this.isRefreshing=!1}}}}async refresh(){let e=this.model;if(!e?.facts)return;let t=this.conversation?.isAtEnd??!1,i=await e.refresh();i<=0||e!==this.model||(le(
w(i,"new entry","new entries")),t?this.updateComplete.then(()=>this.conversation?.scrollToEnd()):this.newRows+=i)}toNewest(){this.newRows=0,this.moveTo(this.model?.
path.at(-1)??null,"start"),this.updateComplete.then(()=>this.conversation?.scrollToEnd())}setFilter(e){_(Fe(this.here,{filter:e==="all"?null:e,id:null,e:this.cursor>=
0?this.cursor:null}))}setFound(e,t,i){this.findText=e,this.findWords=t,this.hits=i,_(Fe(this.here,{find:e||null}),!0)}toggleTree(){this.showsTree=!this.showsTree,
At("tree",this.showsTree?"yes":"no")}rename(){let e=prompt("Name of the session (empty removes it)",this.model?.facts?.name??"");e!==null&&v(this.source.rename(
this.route.key,e.trim()))}savePosition(){v(this.source.goTo(this.route.key,this.cursor).then(()=>L("Position saved")))}print(){this.conversation&&this.model&&v(
is(this.conversation,this.model))}printFromHere(){this.conversation&&this.model&&v(is(this.conversation,this.model,Math.max(0,this.model.nearest(this.cursor))))}get canEdit(){
return this.source.canEdit&&this.model?.facts?.canEdit===!0}act(e,t){let i=this.model,n=i?.row(t);if(!(!i||!n))switch(e){case"fold":return this.conversation?.fold(
t);case"copy":return v(z(Vs(n)).then(()=>L("Message copied")));case"copyCode":return this.copyCode(Xs(n));case"link":return v(z(new URL(A(i.key,"",{leaf:this.route.
parameters.get("leaf"),e:t}),location.href).href).then(()=>L("Link copied")));case"request":return _(A(i.key,"request",{leaf:this.route.parameters.get("leaf"),e:t}));case"\
label":return this.askLabel(t,n.label)}}copyCode(e){if(e.length===0)return L("No code block in this message");v(z(e.join(`

`)).then(()=>L(e.length===1?"Code block copied":w(e.length,"code block copied","code blocks copied"))))}askLabel(e,t){let i=this.source.canEdit?prompt("Label (e\
mpty removes it)",t??""):null;i!==null&&v(this.source.label(this.route.key,e,i.trim()))}lastShown(){let e=this.model?.path.at(-1);return e===void 0?null:this.model?.
callerOf(e)??e}page(e){this.conversation?.scrollByPage(e),requestAnimationFrame(()=>requestAnimationFrame(()=>this.cursor=this.conversation?.firstSeen()??this.cursor))}toMark(e,t){
let i=this.model?.nextMark(e,this.cursor,t)??null;if(i===null)return le(e==="user"?"No further message":"No further error");this.show(i,!0),this.noteCursor(this.
cursor)}toTree(){this.showsTree||this.toggleTree(),this.updateComplete.then(()=>{let e=this.querySelector(".tree-scroller");document.activeElement===e?this.conversation?.
show(this.cursor,{focus:!0,align:"auto"}):e?.focus()})}render(){let e=this.model;return this.failure?h`<main class="page-message" tabindex="-1"><h1>This session cannot be shown</h1><p>${this.
failure}</p><p><a href=${T("sessions")}>All sessions</a></p></main>`:e?.facts?h`${gi(this,e,e.facts)}<main class="session-main" tabindex="-1">${this.tab(e)}</main>`:
h`<main class="page-message" tabindex="-1"><p class="muted">Loading…</p></main>`}tab(e){let t=Ye(this.route.parameters.get("e"));switch(this.route.tab){case"l\
anes":return h`<pt-lanes .model=${e} .version=${this.version}></pt-lanes>`;case"tree":return h`<pt-graph .model=${e} .version=${this.version}></pt-graph>`;case"\
family":return h`<pt-family .model=${e} .version=${this.version}></pt-family>`;case"context":return h`<pt-context .model=${e} .at=${t}></pt-context>`;case"reque\
st":return h`<pt-request .model=${e} .at=${t}></pt-request>`;default:return yi(this,e)}}};u([y({attribute:!1})],F.prototype,"source",2),u([y({attribute:!1})],F.
prototype,"route",2),u([m()],F.prototype,"model",2),u([m()],F.prototype,"version",2),u([m()],F.prototype,"cursor",2),u([m()],F.prototype,"seen",2),u([m()],F.prototype,
"hits",2),u([m()],F.prototype,"findText",2),u([m()],F.prototype,"findWords",2),u([m()],F.prototype,"newRows",2),u([m()],F.prototype,"showsTree",2),u([m()],F.prototype,
"failure",2),u([ae("pt-conversation")],F.prototype,"conversation",2),u([ae("pt-find")],F.prototype,"finder",2),F=u([k("pt-session")],F);function ns({text:r,marks:s}){let e=[],t=0;for(let[i,n]of[...s].sort((o,a)=>o[0]-a[0]))i<t||n<=i||n>r.length||(e.push(r.slice(t,i),h`<mark>${r.slice(i,n)}</mark>`),
t=n);return e.push(r.slice(t)),h`${e}`}function tt(r,s){let e=r.toLowerCase(),t=[];if(e.length===r.length)for(let i of s)for(let n=e.indexOf(i);i&&n>=0;n=e.indexOf(
i,n+i.length))t.push([n,n+i.length]);return ns({text:r,marks:t})}function Mt({hit:r}){return r?r.id||`line-${r.line}`:null}function vi(r,s){let e=new Map(r.map(l=>[l.key,l])),t=new Map;for(let l of r)l.parentKey!==null&&e.has(l.parentKey)&&l.parentKey!==l.key&&t.set(l.parentKey,[...t.
get(l.parentKey)??[],l]);let i=new Set,n=[],o=(l,c,p,g)=>{if(i.has(l.key))return 0;i.add(l.key);let b={row:l,depth:p,below:0,rails:c};g&&n.push(b);let $=t.get(l.
key)??[];return $.forEach((E,M)=>{let fe=M<$.length-1?[...c,p+1]:c;b.below+=1+o(E,fe,p+1,g&&!s.has(l.key))}),b.below},a=l=>{let c=l;for(let p=0;p<r.length&&c.parentKey!==
null;p+=1)c=e.get(c.parentKey)??{...c,parentKey:null};return e.get(c.key)??l};for(let l of r)o(a(l),[],0,!0);return n}function bi(r){return r.map(s=>({row:s,depth:0,
below:0,rails:[]}))}var os=100,on=5e3,$i=6,wi=[["recent","Recent"],["cost","Cost"],["messages","Messages"],["tokens","Tokens"]],an=["relevance","Relevance"],H=class extends x{constructor(){
super(...arguments);this.version=0;this.rows=[];this.total=-1;this.isGuess=!1;this.words=[];this.failure="";this.active="";this.projects=[];this.folded=new Set;
this.asked="";this.focusedKey=null;this.live=new He(this);this.virtual=new G(this,()=>({count:this.list.length,of:this.list,scroller:".list-scroller",estimate:e=>this.
list[e]?.row.hit?78:54,measures:!0,keyOf:e=>this.list[e]?.row.key??e}));this.listed=null;this.readProjects=K(400,()=>v(this.source.projects().then(e=>this.projects=
e)));this.refresh=K(400,()=>v(this.load(!0)));this.typed=K(120,e=>this.set({q:e||null},!0));this.pressed=e=>{let t=!e.ctrlKey&&!e.metaKey&&!e.altKey&&!document.
querySelector("dialog[open]");if(e.defaultPrevented||!t)return;let i=this.querySelector(".search input"),n=e.target===i,o={ArrowDown:1,ArrowUp:-1,...n?{}:{j:1,k:-1}}[e.
key];if(!(Ae(e)&&!n)){if(e.key==="/"&&!n)i?.focus();else if(e.key==="Escape"&&n)i?.blur();else if(e.key==="Enter"&&n)this.open(this.list.find(({row:a})=>a.key===
this.active)?.row??this.list[0]?.row);else if(o!==void 0)this.move(o,n);else return;e.preventDefault()}}}connectedCallback(){super.connectedCallback(),window.addEventListener(
"keydown",this.pressed)}disconnectedCallback(){super.disconnectedCallback(),window.removeEventListener("keydown",this.pressed)}value(e){return this.route.parameters.
get(e)??""}get list(){let e=this.value("q")!==""||this.value("flat")==="1";return(this.listed?.rows!==this.rows||this.listed.folded!==this.folded||this.listed.isFlat!==
e)&&(this.listed={rows:this.rows,folded:this.folded,isFlat:e,list:e?bi(this.rows):vi(this.rows,this.folded)}),this.listed.list}willUpdate(e){document.activeElement!==
document.body&&(this.focusedKey=this.querySelector(".session:focus-within")?.dataset.key??null);let t=e.has("source")||e.has("route")&&this.route.parameters.toString()!==
this.asked;(e.has("source")||e.has("version"))&&this.readProjects(),t?v(this.load(!1)):e.has("version")&&this.refresh()}updated(){this.focusedKey===null||document.
activeElement!==document.body||this.querySelector(`[data-key="${CSS.escape(this.focusedKey)}"] a.title`)?.focus({preventScroll:!0})}async load(e){let t=this.route.
parameters.toString();this.asked=t;try{let i=[];for(let n=0;n<on;n+=os){let o=await this.page(n);if(t!==this.asked)return;i=[...i,...o.rows];let a=o.rows.length<
os||i.length>=o.total;if((!e||a)&&this.take(o,i,n),a)break}this.failure=""}catch(i){this.failure=C(i)}}page(e){return this.source.sessions({q:this.value("q"),project:this.
value("project"),sort:this.value("sort"),in:this.value("in"),since:this.value("since"),until:this.value("until"),offset:e,limit:os})}take(e,t,i){this.rows=t,this.
live.watch(t),this.isGuess=e.isGuess,this.words=e.words.map(n=>n.toLowerCase()),!(i>0&&this.total===e.total)&&(this.total=e.total,le(w(this.total,"session")))}get group(){
let[e="",...t]=this.value("in").split(":"),i=t.join(":"),n=e==="family"?this.rows.find(({key:a})=>a===i)?.title:void 0,o=[this.value("since")&&`since ${this.value(
"since")}`,this.value("until")&&`until ${this.value("until")}`].filter(Boolean).join(" ");return[e,n===void 0?i||"not recorded":S(n,40),o].filter(Boolean).join(
" ")}set(e,t=!1){_(Fe(this.route,e),t)}move(e,t){let i=this.list,n=Math.max(0,Math.min(i.length-1,i.findIndex(({row:a})=>a.key===this.active)+e)),o=i[n]?.row.key;
o!==void 0&&(this.active=o,this.virtual.scrollTo(n),!t&&this.updateComplete.then(()=>requestAnimationFrame(()=>this.querySelector(`[data-key="${o}"] a.title`)?.
focus({preventScroll:!0}))))}open(e){e&&_(this.link(e))}link(e){let t=this.value("q");if(!e.hit||t==="")return A(e.key);let{snippet:i}=e.hit,n=i?.marks[0],o=n?i.
text.slice(n[0],n[1]):null;return A(e.key,"",{id:Mt(e),find:o})}askDelete(e){window.dispatchEvent(new CustomEvent("ask-delete",{detail:e}))}fold(e){let t=new Set(
this.folded);t.delete(e)||t.add(e),this.folded=t}row({row:e,depth:t,below:i,rails:n}){let o=this.words,a=this.folded.has(e.key),l=this.live.has(e);return h`<div class=${`\
session ${e.key===this.active?"is-active":""} ${l?"is-live":""}`} data-key=${e.key} style=${R({"--depth":String(Math.min(t,$i))})}>
      ${t>0?h`<span class="thread" aria-hidden="true"></span>`:d}${n.filter(c=>c<=$i).map(c=>h`<span class="thread-on" aria-hidden="true" style=${R({"--rail":String(
c)})}></span>`)}
      <div class="session-text">
        <p class="session-title">${l?h`<span class="live" title=${Et}>live</span>`:d}${e.isSubagent?h`<span class="chip">sub-agent</span>`:d}<a class="title" href=${this.
link(e)}>${tt(S(e.title,140),o)}</a>
          ${e.name!==null&&e.firstMessage&&!e.hit?h`<span class="first-message">${S(e.firstMessage,120)}</span>`:d}
          ${i>0?h`<button class="quiet fold" aria-expanded=${a?"false":"true"} @click=${()=>this.fold(e.key)}>${a?"+":"\u2212"} ${w(i,"more","more")}</button>`:
d}</p>
        ${e.hit?.snippet&&e.hit.snippet.text.trim()!==e.title.trim()?h`<p class="hit">${ns(e.hit.snippet)}</p>`:d}
        <p class="session-facts"><span title=${e.cwd}>${tt(D(e.cwd),o)}</span>${e.model?h`<span>${e.model}</span>`:d}${this.why(e)}</p>
      </div>
      ${Rs(e.activity)}
      <span class="number" title=${`${f(e.messages)} messages`}>${P(e.messages)}<small> msg</small></span>
      <span class="number" title=${`${f(e.tokens)} tokens`}>${ke(e.cost)}</span>
      <time class="number" title=${xe(e.modified)}>${ce(e.modified)}</time>
      ${this.source.canEdit?h`<button class="quiet row-delete" title="Delete" aria-label=${`Delete ${S(e.title,60)}`} @click=${()=>this.askDelete(e.key)}>✕</button>`:
d}
    </div>`}why(e){let t=e.why??[];return t.length===0?d:h`<span class="why">matches ${t.map(({term:i,in:n,whole:o},a)=>h`${a>0?", ":""}<b>${i}</b> in the ${n}${o?
"":" (part of a word)"}`)}</span>`}filters(){let e=this.value("project"),t=e===""||this.projects.some(({cwd:l})=>l===e)?this.projects:[...this.projects,{cwd:e,sessions:0}],
i=this.value("q")?[an,...wi]:wi,n=i[0]?.[0]??"",o=i.find(([l])=>l===this.value("sort"))?.[0]??n,a=l=>c=>this.set({[l]:c.target.value||null});return h`<div class="filters">
      <label class="select"><span class="hidden">Project</span><select @change=${a("project")}><option value="">All projects</option>${t.map(({cwd:l,sessions:c})=>h`<option value=${l} title=${l} ?selected=${l===
e}>${D(l)} (${f(c)})</option>`)}</select></label>
      <label class="select"><span class="hidden">Sort by</span><select @change=${a("sort")}>${i.map(([l,c])=>h`<option value=${l===n?"":l} ?selected=${l===o}>${c}</option>`)}</select></label>
      ${this.value("q")?d:h`<button class="quiet" aria-pressed=${this.value("flat")==="1"?"false":"true"} @click=${()=>this.set({flat:this.value("flat")==="1"?null:
"1"})}>Threads</button>`}
      ${this.value("in")?h`<span class="chip" title=${this.group}>${this.group} <button class="quiet" aria-label="Show all sessions" @click=${()=>this.set({in:null,
since:null,until:null})}>✕</button></span>`:d}
      <span class="list-count">${this.total<0?"":w(this.total,"session")}</span>
    </div>`}notice(){return this.failure?h`<p class="notice is-bad">${this.failure}</p>`:this.isGuess&&this.rows.length>0?h`<p class="notice">Nothing matched exactly. These come close.</p>`:
this.total===0?h`<p class="empty">${this.value("q")?"Nothing matched.":"There are no sessions yet."}</p>`:d}render(){let e=this.list;return h`<main class="sessions" tabindex="-1"><h1 class="hidden">Sessions</h1>
      <div class="list-head">
        <label class="search"><span class="hidden">Search sessions</span><input type="search" placeholder="Search all sessions" autocomplete="off" spellcheck="false" .value=${this.
value("q")} @input=${t=>this.typed(t.target.value)}><kbd>/</kbd></label>
        ${this.filters()}
      </div>
      ${this.notice()}
      <div class="list-scroller" tabindex="0" role="region" aria-label="List of sessions"><div class="rows" role="list" style=${R({height:`${this.virtual.total}\
px`})}>
        ${Oe(this.virtual.items,t=>t.key,t=>h`<div class="slot" role="listitem" aria-setsize=${e.length} aria-posinset=${t.index+1} data-index=${t.index} style=${R(
{transform:`translateY(${t.start}px)`})}>${e[t.index]?this.row(e[t.index]):d}</div>`)}
      </div></div></main>`}};u([y({attribute:!1})],H.prototype,"source",2),u([y({attribute:!1})],H.prototype,"route",2),u([y({attribute:!1})],H.prototype,"versi\
on",2),u([m()],H.prototype,"rows",2),u([m()],H.prototype,"total",2),u([m()],H.prototype,"isGuess",2),u([m()],H.prototype,"words",2),u([m()],H.prototype,"failure",
2),u([m()],H.prototype,"active",2),u([m()],H.prototype,"projects",2),u([m()],H.prototype,"folded",2),H=u([k("pt-sessions")],H);var ki=[{by:"day",name:"Day"},{by:"week",name:"Week"},{by:"model",name:"Model"},{by:"project",name:"Project"},{by:"role",name:"Role"},{by:"family",name:"Family"}],
Pt=60,ln=120,hn=["today","yesterday","7d","30d","this week","last week","this month","last month","this year"],xi=864e5,Q=class extends x{constructor(){super(...arguments);
this.version=0;this.facts=null;this.failure="";this.shown=Pt;this.asked=""}get by(){return ki.find(({by:e})=>e===this.route.parameters.get("by"))?.by??"day"}get isByTokens(){
return this.route.parameters.get("unit")==="tokens"}get kept(){return{unit:this.isByTokens?"tokens":null,since:this.time("since"),until:this.time("until")}}time(e){
return this.route.parameters.get(e)||null}willUpdate(e){(e.has("route")||e.has("version"))&&this.load()}async load(){let e=[this.by,this.time("since"),this.time(
"until")].join(`
`);e!==this.asked&&(this.shown=Pt),this.asked=e;try{let t=await this.source.spend({by:this.by,since:this.time("since")??"",until:this.time("until")??""});if(e!==
this.asked)return;this.facts=t,this.failure=""}catch(t){e===this.asked&&(this.failure=C(t))}}bar(e){let t=e.key??"not recorded",i=this.isByTokens?e.tokens.total:
e.cost??0,n=this.isByTokens?`${P(i)} tokens`:ke(e.cost),o={project:D(t),family:e.title??(e.path?D(e.path,1):t)},a=e.sessionCount>0?T("sessions",{in:`${this.by}:${e.
group}`,since:this.time("since"),until:this.time("until")}):null;return{name:o[this.by]??t,title:t,value:i,shown:n,note:e.sessionCount>0?w(e.sessionCount,"sessi\
on"):w(e.count,"request"),link:a}}more(e){let t=e-this.shown;return t>0?h`<p class="more-bars"><button @click=${()=>this.shown+=Pt}>Show ${f(Math.min(Pt,t))} more</button> <span class="muted">of ${f(
e)}</span></p>`:d}chart(e){let t=e.rows.map(l=>this.bar(l));if(this.by!=="day"&&this.by!=="week")return h`${We(t.slice(0,this.shown),!0)}${this.more(t.length)}`;
let i=cn(t,this.by==="day"?1:7),n=i.slice(-ln),o=(l,c)=>l.title.slice(0,7)!==n[c-1]?.title.slice(0,7)?dn(l.title):"",a=n.length<i.length;return h`${a?h`<p class="muted">Showing the last ${f(
n.length)} ${this.by}s. Set Since/Until for others; the list has all ${f(i.length)}.</p>`:d}${gt(n,`Spend by ${this.by}`,o,l=>this.isByTokens?P(l):un(l))}<details class="in-words" open><summary>As a list</summary>${We(
t.slice(-this.shown).reverse(),!0)}${this.more(t.length)}</details>`}set(e,t){let i=t.target.value.trim();_(T("spend",{by:this.by,...this.kept,[e]:i||null}))}times(){
let e=(i,n)=>h`<label>${n} <input type="text" list="times" size="11" placeholder=${i==="since"?"the start":"now"} autocomplete="off" spellcheck="false"
      .value=${this.time(i)??""} @change=${o=>this.set(i,o)}></label>`,t=this.time("since")!==null||this.time("until")!==null;return h`<div class="times" role="group" aria-label="Time">${e(
"since","Since")} ${e("until","Until")}
      ${t?h`<a href=${T("spend",{by:this.by,unit:this.kept.unit})}>All time</a>`:d}
      <datalist id="times">${hn.map(i=>h`<option value=${i}></option>`)}</datalist></div>`}card(){let{facts:e}=this;return this.failure?h`<p class="notice is-bad">${this.
failure}</p>`:!e||e.by!==this.by?h`<p class="muted">Adding up…</p>`:e.rows.length>0?this.chart(e):h`<p class="muted">${this.time("since")||this.time("until")?
"Nothing was spent in that time.":"Nothing was spent yet."}</p>`}render(){let e=this.facts,{kept:t}=this;return h`<main class="page-pad scrolls" tabindex="-1"><h1>Spend</h1>
      ${e&&!this.failure?h`<div class="figures">
        <div><b>${ke(e.total.cost)}</b><span>recorded</span></div><div><b>${P(e.total.tokens.total)}</b><span>tokens</span></div>
        <div><b>${f(e.total.count)}</b><span>requests</span></div>
        ${e.total.unknownCosts>0?h`<div><b>${f(e.total.unknownCosts)}</b><span>without a recorded cost</span></div>`:d}
      </div>`:d}
      <div class="switches">
        <nav class="segments" aria-label="Group by">${ki.map(({by:i,name:n})=>h`<a href=${T("spend",{by:i,...t})} aria-current=${i===this.by?"true":d}>${n}</a>`)}</nav>
        <nav class="segments" aria-label="Unit"><a href=${T("spend",{by:this.by,...t,unit:null})} aria-current=${this.isByTokens?d:"true"}>Dollars</a><a href=${T(
"spend",{by:this.by,...t,unit:"tokens"})} aria-current=${this.isByTokens?"true":d}>Tokens</a></nav>
        ${this.times()}
      </div>
      <section class="card">${this.card()}</section>
    </main>`}};u([y({attribute:!1})],Q.prototype,"source",2),u([y({attribute:!1})],Q.prototype,"route",2),u([y({attribute:!1})],Q.prototype,"version",2),u([m()],
Q.prototype,"facts",2),u([m()],Q.prototype,"failure",2),u([m()],Q.prototype,"shown",2),Q=u([k("pt-spend")],Q);function cn(r,s){let e=[];for(let t of r){let i=Date.
parse(t.title),n=e.at(-1),o=n?Date.parse(n.title):NaN;for(let a=o+s*xi;a<i&&e.length<1e4;a+=s*xi){let l=new Date(a).toISOString().slice(0,10);e.push({name:l,title:l,
value:0,shown:"nothing",link:null})}e.push(t)}return e}function un(r){return`$${r.toLocaleString("en-US",{maximumFractionDigits:4})}`}function dn(r){let s=new Date(
`${r}T12:00:00`);return Number.isNaN(s.getTime())?"":s.toLocaleString("en-US",{month:"short"})}var pn=15,Si=["Monday","Tuesday","Wednesday","Thursday","Friday","Saturday","Sunday"],mn=[["branchedSessions","Sessions with branches","on:abandoned"],["branchP\
oints","Branch points","on:abandoned"],["forkedSessions","Sessions that were forked",null],["forks","Forks",null],["compactions","Compactions","role:summary"],[
"branchSummaries","Branch summaries","role:summary"],["labels","Labels","role:label"],["subagentRuns","Sub-agent runs","tool:subagent"]];function fn(r,s){return s.
includes('"')?null:/^[^\s:]+$/.test(s)?`${r}:${s}`:`${r}:"${s}"`}function Ei(r){return r.includes('"')?null:`"${r}"`}var Re=class extends x{constructor(){super(
...arguments);this.version=0;this.facts=null}willUpdate(e){(e.has("source")||e.has("version"))&&v(this.source.stats().then(t=>this.facts=t))}card(e,t){return h`<section class="card"><h2>${e}</h2>${t.
length===0?h`<p class="muted">None.</p>`:We(t.slice(0,pn))}</section>`}hours(e){let t=e.hours.map((i,n)=>({name:`${n}`,title:`${n}:00`,value:i,shown:w(i,"messag\
e"),link:null}));return h`<section class="card"><h2>Hours of the day</h2>${gt(t,"Messages by hour",(i,n)=>n%6===0?i.title:"",P)}</section>`}render(){let e=this.
facts;if(!e)return h`<main class="page-pad" tabindex="-1"><h1>Stats</h1><p class="muted">Counting…</p></main>`;let{totals:t}=e,i=a=>a>0?w(a,"error"):"",n=a=>a===
null?null:T("sessions",{q:a}),o=[[t.sessions,"sessions",T("sessions")],[t.messages.total,"messages",T("sessions",{sort:"messages"})],[t.projects,"projects",T("s\
pend",{by:"project"})],[t.activeDays,"active days",T("spend",{by:"day"})],[t.replies,"replies",n("role:assistant")],[t.failedReplies,"failed replies",n("role:as\
sistant is:error")]];return h`<main class="page-pad scrolls" tabindex="-1"><h1>Stats</h1>
      <div class="figures">${o.map(([a,l,c])=>c===null||a===0?h`<div title=${f(a)}><b>${P(a)}</b><span>${l}</span></div>`:h`<a href=${c} title=${f(a)}><b>${P(a)}</b><span>${l}</span></a>`)}</div>
      <div class="masonry">
        ${this.card("Tools",e.tools.map(({name:a,calls:l,errors:c})=>({name:a,title:a,value:l,shown:f(l),note:i(c),link:n(fn("tool",a))})))}
        ${this.card("Models",e.models.map(({model:a,replies:l})=>({name:a??"not recorded",title:a??"",value:l,shown:f(l),link:a===null?null:T("sessions",{in:`mo\
del:${a}`})})))}
        ${this.card("Commands",e.commands.map(({command:a,runs:l,errors:c})=>({name:a,title:a,value:l,shown:f(l),note:i(c),link:n(Ei(a))})))}
        ${this.card("Files",e.files.map(({path:a,project:l,reads:c,edits:p,writes:g})=>({name:D(a),title:`${a}${l?` (${l})`:""}`,value:c+p+g,shown:f(c+p+g),note:[
p>0?w(p,"edit"):"",l?D(l,1):""].filter(Boolean).join(" \xB7 "),link:n(Ei(a.split("/").at(-1)??a))})))}
        ${this.hours(e)}
        ${this.card("Days of the week",e.weekdays.map((a,l)=>({name:Si[l]??"",title:Si[l]??"",value:a,shown:f(a),link:null})))}
        ${this.card("Habits",mn.map(([a,l,c])=>({name:l,title:l,value:e.habits[a]??0,shown:f(e.habits[a]??0),link:e.habits[a]?n(c):null})))}
      </div></main>`}};u([y({attribute:!1})],Re.prototype,"source",2),u([y({attribute:!1})],Re.prototype,"version",2),u([m()],Re.prototype,"facts",2),Re=u([k("p\
t-stats")],Re);var Z=class extends x{constructor(){super(...arguments);this.commands=()=>[];this.text="";this.sessions=[];this.words=[];this.active=0;this.focusedBefore=null;this.
closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()};this.look=K(90,e=>v(this.search(e)));this.pressed=e=>{let t=this.choices,i={ArrowDown:1,
ArrowUp:-1}[e.key];if(e.key==="Enter")this.choose(t[this.active]);else if(i!==void 0)this.active=(this.active+i+t.length)%Math.max(1,t.length);else return;e.preventDefault(),
e.stopPropagation(),this.updateComplete.then(()=>this.querySelector(`#choice-${this.active}`)?.scrollIntoView({block:"nearest"}))}}open(){let e=this.querySelector(
"dialog");!e||e.open||(this.focusedBefore=document.activeElement,this.text="",this.active=0,e.showModal(),this.querySelector("input")?.focus(),v(this.search("")))}close(){
this.querySelector("dialog")?.close()}async search(e){if(!this.source.hasList)return;let t=await this.source.sessions({q:e,limit:8});e===this.text&&(this.words=
t.words.map(i=>i.toLowerCase()),this.sessions=t.rows.map(i=>({name:S(i.title,90),note:`${D(i.cwd,1)} \xB7 ${ce(i.modified)}`,kind:"Session",run:()=>_(A(i.key,"",
{id:e?Mt(i):null}))})))}get letters(){return this.text.toLowerCase().split(/\s+/).filter(Boolean)}get choices(){let e=this.source.hasList?[["Sessions",T("sessio\
ns")],["Spend",T("spend")],["Stats",T("stats")]].map(([a="",l=""])=>({name:a,note:"",kind:"View",run:()=>_(l)})):[],t=this.route.parameters.get("leaf"),i=this.route.
view!=="session"?[]:se.filter(({tab:a})=>this.source.tabs.has(a)).map(({tab:a,name:l,key:c})=>({name:l,note:c,kind:"View",run:()=>_(A(this.route.key,a,{leaf:t}))})),
n=this.commands().map(a=>({...a,kind:"Command"})),o=({name:a})=>this.letters.every(l=>a.toLowerCase().includes(l));return[...this.sessions,...[...i,...e,...n].filter(
o)]}choose(e){e&&(this.focusedBefore=null,this.close(),e.run())}typed(e){this.text=e,this.active=0,this.look(e)}render(){let e=this.choices,{letters:t}=this;return h`<dialog class="palette" aria-label="Go to" @close=${this.
closed} @click=${i=>i.target===i.currentTarget&&this.close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="choices" aria-autocomplete="list" aria-activedescendant=${e.length>0?`choice-${this.
active}`:d}
        aria-label="Go to a session, a view or a command" placeholder="Go to a session, a view or a command" autocomplete="off" spellcheck="false" .value=${this.
text}
        @input=${i=>this.typed(i.target.value)} @keydown=${this.pressed}>
      <div id="choices" role="listbox" aria-label="Choices">${e.map((i,n)=>h`<div id=${`choice-${n}`} role="option" class=${n===this.active?"choice is-active":"\
choice"} aria-selected=${n===this.active?"true":"false"}
        @click=${()=>this.choose(i)} @pointermove=${()=>this.active=n}><span class="choice-kind">${i.kind}</span><span class="choice-name">${tt(i.name,i.kind===
"Session"?this.words:t)}</span><span class="muted">${i.note}</span></div>`)}
      </div>${e.length===0?h`<p class="empty">Nothing matched.</p>`:d}</dialog>`}};u([y({attribute:!1})],Z.prototype,"source",2),u([y({attribute:!1})],Z.prototype,
"route",2),u([y({attribute:!1})],Z.prototype,"commands",2),u([m()],Z.prototype,"text",2),u([m()],Z.prototype,"sessions",2),u([m()],Z.prototype,"active",2),Z=u([
k("pt-palette")],Z);var Ct=class extends x{constructor(){super(...arguments);this.focusedBefore=null;this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}toggle(){
let e=this.querySelector("dialog");if(e){if(e.open)return e.close();this.focusedBefore=document.activeElement,e.showModal()}}render(){let e=()=>this.querySelector(
"dialog")?.close();return h`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${t=>t.target===t.currentTarget&&e()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${e}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${mi.map(({title:t,rows:i})=>h`<section><h3>${t}</h3><dl>${i.map(([n,o])=>h`<dt>${n.
split(" ").map(a=>a==="\u2026"?a:h`<kbd>${a}</kbd>`)}</dt><dd>${o}</dd>`)}</dl></section>`)}</div>
    </dialog>`}};Ct=u([k("pt-help")],Ct);var Ti=12,ne=class extends x{constructor(){super(...arguments);this.asked=null;this.family=!1;this.failure="";this.isWorking=!1;this.key="";this.focusedBefore=null;
this.closed=()=>{this.focusedBefore?.isConnected&&this.focusedBefore.focus()}}async ask(e){let t=this.querySelector("dialog");if(!t||t.open)return;this.focusedBefore=
document.activeElement;let i=await this.source.deletion(e);Object.assign(this,{key:e,asked:i,family:!1,failure:i.refused??"",isWorking:!1}),await this.updateComplete,
t.showModal(),this.querySelector("[data-cancel]")?.focus()}isTaking(e){return this.isWorking&&this.key===e}close(){this.querySelector("dialog")?.close()}async carryOut(){
if(!this.isWorking){this.isWorking=!0;try{let e=await this.source.remove(this.key,this.family);this.close(),L(gn(e)),this.dispatchEvent(new CustomEvent("deleted",
{detail:this.key}))}catch(e){this.failure=C(e)}finally{this.isWorking=!1}}}forks(e){if(e.forkCount===0&&e.records===0)return d;let t=e.forkCount-Math.min(e.forks.
length,Ti),i=e.forkCount===1?"fork":w(e.forkCount,"fork"),n=e.records===1?"record of a sub-agent":w(e.records,"record of a sub-agent","records of sub-agents"),o=[
e.forkCount>0?i:"",e.records>0?n:""].filter(Boolean).join(" and ");return h`<label class="check"><input type="checkbox" .checked=${this.family} @change=${a=>this.
family=a.target.checked}> Delete its ${o} too</label>
      ${e.forkCount>0?h`<ul class="forks">${e.forks.slice(0,Ti).map(({title:a})=>h`<li>${S(a,90)}</li>`)}${t>0?h`<li>and ${w(t,"more fork")}</li>`:d}</ul>
        <p class="muted">${this.family?"":e.forkCount===1?"Leave this unchecked to keep the fork.":"Leave this unchecked to keep the forks."}</p>`:d}`}render(){
let{asked:e}=this;return h`<dialog class="question" aria-labelledby="delete-title" @close=${this.closed}>
      <h2 id="delete-title">Delete this session?</h2>
      ${e?h`<p class="question-what">${S(e.title,160)}</p>
        <p>It will be moved to the trash.</p>
        ${this.forks(e)}`:d}
      ${this.failure?h`<p class="notice is-bad">${this.failure}</p>`:d}
      <div class="question-buttons"><button data-cancel @click=${()=>this.close()}>Cancel</button>
        <button class="is-dangerous" ?disabled=${this.isWorking||!!e?.refused} @click=${()=>{this.carryOut()}}>Delete</button></div>
    </dialog>`}};u([y({attribute:!1})],ne.prototype,"source",2),u([m()],ne.prototype,"asked",2),u([m()],ne.prototype,"family",2),u([m()],ne.prototype,"failure",
2),u([m()],ne.prototype,"isWorking",2),ne=u([k("pt-delete")],ne);function gn({sessions:r,canRestore:s}){let e=r===1?"Session moved to the trash":`${w(r,"session")}\
 moved to the trash`;return s?`${e}; \`pitree restore\` brings ${r===1?"it":"them"} back`:e}function yn(r){let s=document.getElementById(r);if(!s)throw new q("A part of this file is missing.","It may have been cut off while it was copied; export it aga\
in.");let e=atob((s.textContent??"").trim()),t=new Uint8Array(e.length);for(let i=0;i<e.length;i+=1)t[i]=e.charCodeAt(i);return t}async function st(r){let s=new Blob(
[yn(r)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));try{return await new Response(s).json()}catch{throw new q("A part of this file is damaged.",
"Export it again.")}}var Lt=class{constructor(s,e){this.held=new Map;this.name=s,this.limit=e}get(s){let e=this.held.get(s)??st(this.name(s));this.held.delete(s),
this.held.set(s,e);for(let t of this.held.keys()){if(this.held.size<=this.limit)break;this.held.delete(t)}return e}};var vn=/^(?:role|tool|model|cwd|on|before|after|is):(?:"[^"]*"|\S+)$/,bn=/[a-z]+:"[^"]+"(?=\s|$)|"([^"]+)"(?=\s|$)|\S+/g;function Ai(r){let[s=""]=r.toLowerCase().
split(/(?:^|(?<=\s))re:/,1);return[...s.matchAll(bn)].map(([t,i])=>i??(vn.test(t)?"":t.replace(/(?<=.)\*$/,""))).map(t=>t.trim()).filter(Boolean)}var ls="pitree-index",$n="pitree-requests",wn="pitree-contexts",kn=24,xn=5e3,Ri=1,Mi=2,Pi=4,Sn=8,En=16,as=class{constructor(s){this.lastPath=null;this.drawn=null;
this.depths=new Map;this.branches=new Map;this.children=new Map;this.requests=null;this.contexts=null;this.index=s,this.labels=new Map(s.light.labels),this.lines=
new Map(s.light.lines),this.blocks=new Lt(e=>`pitree-rows-${e}`,kn),s.light.parents.forEach((e,t)=>{let i=this.children.get(e);i?i.push(t):this.children.set(e,[
t])})}passes(s,e){let t=this.index.light.flags[s]??0;switch(e){case"all":return!0;case"user":return(t&En)!==0;case"labeled":return this.labels.has(s);case"no-to\
ols":return(t&(Pi|Sn))===0;case"default":return(t&Pi)===0}}path(s,e){let t=[];for(let i=s??this.index.session.leaf;i!=null;i=this.index.light.parents[i]??null)t.
push(i);return Int32Array.from(t.reverse().filter(i=>this.passes(i,e)))}leafOf(s){if(s>=this.index.light.ids.length)return null;if(((this.index.light.flags[s]??
0)&Ri)!==0)return this.index.session.leaf;let e=s;for(let t=this.children.get(e);t;t=this.children.get(e))e=t.at(-1)??e;return e}async row(s,e){let{light:t,blockRows:i,
kinds:n}=this.index,o=t.flags[s]??0,a={at:s,parent:t.parents[s]??null,id:t.ids[s]??"",kind:n[t.kinds[s]??0]??"",label:this.labels.get(s)??null,isError:(o&Mi)!==
0,summary:t.summaries[s]??""};if(e)return Le(a);let c=(await this.blocks.get(Math.floor(s/i)))[s%i];if(!c)throw new q("An entry of this file is missing.","Expor\
t it again.");return Le({...c,...a})}order(){if(this.drawn??=Int32Array.from(this.index.order??this.inFileOrder()),this.depths.size>0)return this.drawn;for(let s of this.
drawn){let e=this.index.light.parents[s]??null,t=e!==null&&(this.children.get(e)?.length??0)===1;this.depths.set(s,e===null?0:(this.depths.get(e)??0)+(t?0:1)),this.
branches.set(s,t?this.branches.get(e)??e:s)}return this.drawn}inFileOrder(){let s=[],e=[...this.children.get(null)??[]].reverse();for(let t=e.pop();t!==void 0;t=
e.pop())s.push(t),e.push(...[...this.children.get(t)??[]].reverse());return s}treeRows(s){let e=new Set;return[...this.order()].filter(t=>this.passes(t,s)).map(
t=>{let i=this.branches.get(t)??t,n=!e.has(i);return e.add(i),{at:t,begins:n}})}treeRow({at:s,begins:e}){let{light:t,kinds:i,session:n}=this.index,o=t.flags[s]??
0,a=i[t.kinds[s]??0]??"";return{at:s,id:t.ids[s]??"",depth:this.depths.get(s)??0,begins:e,kind:a,role:a==="user"||a==="assistant"?a:null,text:this.lines.get(s)??
t.summaries[s]??"",label:this.labels.get(s)??null,active:(o&Ri)!==0,isLeaf:s===n.leaf,isError:(o&Mi)!==0,children:this.children.get(s)?.length??0}}async request(s){
(this.index.requests?.shown??0)>0&&(this.requests??=st($n));let e=(await this.requests)?.find(t=>t.at===s);if(!e)throw new q("The request for this reply is not \
in this file.",Ci(this.index));return e}async context(s){let e=s??this.index.session.leaf;(this.index.contexts?.shown??0)>0&&(this.contexts??=st(wn));let t=(await this.
contexts)?.find(i=>i.leaf===e);if(!t)throw new q("The context at this entry is not in this file.",Rn(this.index));return t}part({leaf:s,filter:e,from:t,count:i,
brief:n=!1}){let o=`${s} ${e}`;return this.lastPath?.name!==o&&(this.lastPath={name:o,path:this.path(s,e)}),Promise.all([...this.lastPath.path.subarray(t,t+i)].
map(a=>this.row(a,n)))}async find(s){let e=Ai(s),t=[],i=0;for(let n=0;e.length>0&&n<this.index.light.ids.length;n+=1){let o=Tn((await this.row(n,!1)).body),a=o.
toLowerCase();if(!e.every(g=>a.includes(g)))continue;let[l=""]=e,c=a.indexOf(l);i+=1;let p=Math.max(0,c-40);t.length<xn&&t.push({at:n,snippet:{text:o.slice(p,c+
120),marks:[[c-p,c-p+l.length]]}})}return{total:i,isAll:t.length===i,words:e,hits:t}}};function Tn(r){let s="",e=[...r].reverse();for(;e.length>0;){let t=e.pop();
if(typeof t=="string")s+=t;else if(Array.isArray(t)){s+=s&&!s.endsWith(" ")&&t[0]!=="span"&&t[0]!=="code"?" ":"";for(let i of t.slice(1).reverse())(typeof i=="s\
tring"||Array.isArray(i))&&e.push(i)}}return s}var An=new q("This page is a file, so there is no server to ask.","Run `pitree serve` for that.");function Ci({requests:r}){
if(!r)return"";let{shown:s,replies:e}=r;return s===0?"This file has no requests: the context is too long for it. `pitree serve` shows them.":s===e?"This file ha\
s the request behind each reply of the current branch.":`This file has the requests behind the last ${f(s)} of ${f(e)} replies of the current branch; \`pitree se\
rve\` shows them all.`}function Rn({contexts:r}){let{shown:s,branches:e}=r??{shown:0,branches:0};return`It has the context ${s===e?"at the end of each branch":`\
at the ends of ${f(s)} of ${f(e)} branches`}; \`pitree serve\` shows it at every turn.`}function Mn(r){let s=new Set(["","lanes","tree"]);return r.contexts&&s.add(
"context"),r.requests&&s.add("request"),s}async function Li(){let r=await st(ls);if(r.format!==1)throw new q("This file is in a format that this page cannot rea\
d.","Export it again.");let s=new as(r),e=()=>Promise.reject(An);return{hasList:!1,onlyKey:r.session.key,tabs:Mn(r),canEdit:!1,sessions:()=>Promise.resolve({total:0,
offset:0,isGuess:!1,words:[],rows:[]}),projects:()=>Promise.resolve([]),session:()=>Promise.resolve(r.session),lanes:(t,i,n)=>Promise.resolve(r.session.lanes.slice(
i,i+n)),family:()=>Promise.resolve(r.session.family),marks:()=>Promise.resolve(r.marks),path:(t,i,n)=>Promise.resolve(s.path(i,n)),rows:(t,i)=>s.part(i),tree:(t,{
from:i=0,count:n,filter:o,at:a})=>{let l=s.treeRows(o),c=a===void 0?i:Math.max(0,l.findIndex(p=>p.at===a)-Math.floor(n/2));return Promise.resolve({total:l.length,
from:c,rows:l.slice(c,c+n).map(p=>s.treeRow(p))})},find:(t,i)=>s.find(i),context:(t,i)=>s.context(i),requestsHere:Ci(r),request:(t,i)=>s.request(i),spend:e,stats:e,
listen:()=>()=>{},rename:e,label:e,goTo:e,deletion:e,remove:e,leafOf:(t,i)=>Promise.resolve(s.leafOf(i)),entry:(t,i)=>s.row(i,!1),resolve:(t,i)=>Promise.resolve(
r.light.ids.indexOf(i))}}function Pn(r,s={}){let e=new URLSearchParams;for(let[i,n]of Object.entries(s))n!=null&&n!==""&&n!==!1&&e.set(i,String(n));let t=e.toString();return t?`api/${r}\
?${t}`:`api/${r}`}var _i="`pitree serve` was started again, so the address of this page has changed. Open the address that it printed.";async function Cn(r){let s=await r.
json().catch(()=>null);if(r.ok&&s!==null)return s;if(r.status===401)throw new q(_i);let e=s;throw new q(e?.error??`The server answered ${r.status}.`)}async function Oi(r,s){
let e;try{e=await fetch(r,s)}catch{throw new q("The server does not answer.","Is `pitree serve` still running?")}return Cn(e)}function I(r,s){return Oi(Pn(r,s))}
function _t(r,s){return Oi(`api/${r}`,{method:"POST",headers:{"Content-Type":"application/json","X-Pitree":"1"},body:JSON.stringify(s)})}var Ln=5e3,_n=1e4,On=18e4;
function Fn(r,s){let e,t=0,i=!1,n=Date.now(),o=()=>{e=new EventSource("api/events"),e.onopen=()=>{i&&r({changed:[],list:!0,all:!0}),i=!1},e.onmessage=p=>{let{changed:g=[],
list:b=!1,all:$=!1}=JSON.parse(String(p.data));r({changed:g,list:b,all:$})},e.onerror=()=>{i=!0,e.readyState===EventSource.CLOSED&&a()}},a=async()=>{await fetch(
"api/projects").then(g=>g.status,()=>0)!==401?t=window.setTimeout(o,Ln):(clearInterval(c),s(_i))},l=()=>{clearTimeout(t),e.close()},c=setInterval(()=>{let p=Date.
now()-n;n=Date.now(),!(p<On)&&(i=!0,l(),o())},_n);return o(),()=>{clearInterval(c),l()}}function Fi(){let r=!1,s=(e,t)=>`sessions/${encodeURIComponent(e)}${t}`;
return{hasList:!0,onlyKey:"",tabs:new Set(se.map(({tab:e})=>e)),get canEdit(){return r},sessions:async e=>{let t=await I("sessions",{...e});return t.canEdit!==void 0&&
(r=t.canEdit),t},projects:async()=>(await I("projects")).projects,session:async e=>{let t=await I(s(e,""));return t.canEdit!==void 0&&(r=t.canEdit),t},lanes:async(e,t,i)=>(await I(
s(e,"/lanes"),{from:t,count:i})).lanes,family:async e=>(await I(s(e,"/family"))).members,marks:async e=>(await I(s(e,"/marks"))).marks,path:async(e,t,i)=>{let n=await I(
s(e,"/path"),{leaf:t,filter:i});return n.runs?Ms(n.runs):Int32Array.from(n.ats??[])},rows:async(e,{leaf:t,filter:i,from:n,count:o,brief:a=!1})=>(await I(s(e,"/r\
ows"),{leaf:t,filter:i,from:n,count:o,brief:a?1:null})).rows.map(Le),tree:(e,{from:t,count:i,filter:n,at:o})=>I(s(e,"/tree"),{from:t,count:i,filter:n,at:o}),find:(e,t)=>I(
s(e,"/find"),{q:t}),context:(e,t)=>I(s(e,"/context"),{at:t}),requestsHere:"",request:(e,t,i)=>I(s(e,"/request"),{at:t,from:i}),spend:e=>I("spend",{...e}),stats:()=>I(
"stats"),listen:Fn,rename:(e,t)=>_t(s(e,"/name"),{name:t}),label:(e,t,i)=>_t(s(e,"/label"),{at:t,label:i}),goTo:(e,t)=>_t(s(e,"/goto"),{at:t}),deletion:e=>I(s(e,
"/deletion")),remove:(e,t)=>_t(s(e,"/delete"),{family:t}),leafOf:async(e,t)=>(await I(s(e,"/locate"),{at:t})).leaf,resolve:async(e,t)=>{let i=/^line-(\d+)$/.exec(
t);try{return(await I(s(e,"/locate"),i?{line:i[1]}:{id:t})).at}catch{return-1}},entry:async(e,t)=>Le(await I(s(e,"/entry"),{at:t}))}}async function Ii(){return document.getElementById(ls)?Li():Fi()}var Ot=["auto","light","dark"];function Ft(){return Ot.find(r=>r===Tt("theme"))??"auto"}function qi(r){return Ot[(Ot.indexOf(r)+1)%Ot.length]??"auto"}function It(r){
document.documentElement.dataset.theme=r,At("theme",r),window.dispatchEvent(new Event("theme"))}var In={sessions:"Sessions",session:"Session",spend:"Spend",stats:"Stats"},N=class extends x{constructor(){super(...arguments);this.source=null;this.failure="";
this.route=Ge(location.hash);this.listVersion=0;this.ended="";this.message="";this.theme=Ft();this.messageTimer=0;this.routed=()=>{let e=Ge(location.hash);this.
source&&!this.source.hasList&&Object.assign(e,{view:"session",key:this.source.onlyKey});let t=e.view!==this.route.view||e.key!==this.route.key;this.route=e,document.
title=e.view==="session"?document.title:`${In[e.view]} \xB7 pitree`,t&&this.updateComplete.then(()=>this.querySelector("main")?.focus({preventScroll:!0}))};this.
clicked=e=>{let i=e.target.closest("a")?.getAttribute("href");!i?.startsWith("#")||e.defaultPrevented||e.button!==0||e.ctrlKey||e.metaKey||e.shiftKey||(e.preventDefault(),
i!==location.hash&&history.pushState(null,"",i),this.routed())};this.toasted=e=>{this.message=e.detail,clearTimeout(this.messageTimer),this.messageTimer=window.
setTimeout(()=>this.message="",2600)};this.askedDelete=e=>v(this.deleting.ask(e.detail));this.pressed=e=>{if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k")this.
palette.open();else if(e.key==="?"&&!Ae(e)&&!e.ctrlKey&&!e.metaKey)this.help.toggle();else if(e.key==="Escape"&&Ae(e)&&!e.target.closest("dialog"))e.target.blur();else
return;e.preventDefault()};this.deleted=e=>{this.listVersion+=1,this.route.view==="session"&&this.route.key===e.detail&&_(T("sessions"),!0)};this.commands=()=>{
let e=this.session;return[{name:"Show all keys",note:"?",run:()=>this.help.toggle()},{name:"Switch between light and dark",note:this.theme,run:()=>this.switchTheme()},
...this.route.view==="session"&&e?[{name:"Show or hide the tree",note:"",run:()=>e.toggleTree()},{name:"Fold or unfold all messages",note:"O",run:()=>e.conversation?.
foldAll(!e.conversation.isAllFolded)},{name:"Print this branch",note:"",run:()=>e.print()},{name:"Print from this message on",note:"",run:()=>e.printFromHere()}]:
[],...this.route.view==="session"&&e?.canEdit?[{name:"Rename this session\u2026",note:"",run:()=>e.rename()},{name:"Save the position at this message",note:"",run:()=>e.
savePosition()},{name:"Delete this session\u2026",note:"",run:()=>v(this.deleting.ask(this.route.key))}]:[]]};this.skip=e=>{e.preventDefault(),e.stopPropagation(),
this.querySelector("main")?.focus()}}connectedCallback(){this.replaceChildren(),super.connectedCallback();for(let e of["popstate","hashchange","route"])window.addEventListener(
e,this.routed);window.addEventListener("toast",this.toasted),window.addEventListener("ask-delete",this.askedDelete),window.addEventListener("keydown",this.pressed),
document.addEventListener("click",this.clicked),Ii().then(e=>this.begin(e),e=>this.failure=C(e))}begin(e){this.source=e,e.listen(t=>this.changed(t),t=>this.ended=
t),this.routed()}changed(e){(e.all||e.list||e.changed.length>0)&&(this.listVersion+=1),!this.deleting?.isTaking(this.route.key)&&this.session?.liveChange(e).catch(
()=>{})}switchTheme(){this.theme=qi(this.theme),It(this.theme)}bar(e){let t=i=>this.route.view===i?"page":d;return h`<header class="bar-top">
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
ended}</p>`:d}${this.view(e)}
      <pt-palette .source=${e} .route=${this.route} .commands=${this.commands}></pt-palette><pt-help></pt-help>
      <pt-delete .source=${e} @deleted=${this.deleted}></pt-delete>
      <div id="announcer" class="hidden" role="status" aria-live="polite"></div>
      <div class=${this.message?"toast is-shown":"toast"} role="status">${this.message}</div>`:h`<main class="page-message"><p>${this.failure||"Loading\u2026"}</p></main>`}};
u([m()],N.prototype,"source",2),u([m()],N.prototype,"failure",2),u([m()],N.prototype,"route",2),u([m()],N.prototype,"listVersion",2),u([m()],N.prototype,"ended",
2),u([m()],N.prototype,"message",2),u([m()],N.prototype,"theme",2),u([ae("pt-palette")],N.prototype,"palette",2),u([ae("pt-help")],N.prototype,"help",2),u([ae("\
pt-delete")],N.prototype,"deleting",2),u([ae("pt-session")],N.prototype,"session",2),N=u([k("pt-app")],N);It(Ft());
