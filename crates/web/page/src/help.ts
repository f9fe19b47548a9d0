// All keys, on one page over the page.

import { html, type TemplateResult } from "lit";
import { customElement } from "lit/decorators.js";

import { PageElement } from "./element.ts";
import { HELP } from "./keys.ts";

@customElement("pt-help")
export class Help extends PageElement {
  private focusedBefore: HTMLElement | null = null;

  toggle(): void {
    const dialog = this.querySelector("dialog");
    if (!dialog) return;
    if (dialog.open) return dialog.close();
    this.focusedBefore = document.activeElement as HTMLElement | null;
    dialog.showModal();
  }

  private readonly closed = (): void => {
    if (this.focusedBefore?.isConnected) this.focusedBefore.focus();
  };

  protected override render(): TemplateResult {
    const shut = (): void => this.querySelector("dialog")?.close();
    return html`<dialog class="help" aria-labelledby="help-title" @close=${this.closed} @click=${(event: Event) => event.target === event.currentTarget && shut()}>
      <div class="help-head"><h2 id="help-title">Keys</h2><button class="quiet" aria-label="Close" @click=${shut}>✕</button></div>
      <div class="help-columns" tabindex="0" role="region" aria-label="All keys">${HELP.map(({ title, rows }) => html`<section><h3>${title}</h3><dl>${rows.map(([keys, does]) => html`<dt>${keys.split(" ").map((key) => (key === "…" ? key : html`<kbd>${key}</kbd>`))}</dt><dd>${does}</dd>`)}</dl></section>`)}</div>
    </dialog>`;
  }
}
