// Asks before a session goes to the trash, and names what would go with it.

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";

import { PageElement, toast } from "./element.ts";
import { explain, type Source } from "./source/source.ts";
import { oneLine, plural } from "./text.ts";
import type { Deleted, Deletion } from "./types.ts";

/** So many forks are named in the question. */
const MOST_NAMED = 12;

@customElement("pt-delete")
export class DeleteDialog extends PageElement {
  @property({ attribute: false }) source!: Source;
  @state() private asked: Deletion | null = null;
  @state() private family = false;
  @state() private failure = "";
  @state() private isWorking = false;

  /** The session that is asked about. */
  private key = "";
  private focusedBefore: HTMLElement | null = null;

  /** Asks about a session. */
  async ask(key: string): Promise<void> {
    const dialog = this.querySelector("dialog");
    if (!dialog || dialog.open) return;
    this.focusedBefore = document.activeElement as HTMLElement | null;
    const asked = await this.source.deletion(key);
    Object.assign(this, { key, asked, family: false, failure: asked.refused ?? "", isWorking: false });
    await this.updateComplete;
    dialog.showModal();
    // Enter, which is pressed by habit, deletes nothing.
    this.querySelector<HTMLElement>("[data-cancel]")?.focus();
  }

  /** Whether this session is just being deleted, so that nobody should ask for it. */
  isTaking(key: string): boolean {
    return this.isWorking && this.key === key;
  }

  private close(): void {
    this.querySelector("dialog")?.close();
  }

  private readonly closed = (): void => {
    if (this.focusedBefore?.isConnected) this.focusedBefore.focus();
  };

  private async carryOut(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    try {
      const deleted = await this.source.remove(this.key, this.family);
      this.close();
      toast(told(deleted));
      // First of all whoever shows it must go elsewhere.
      this.dispatchEvent(new CustomEvent("deleted", { detail: this.key }));
    } catch (error) {
      this.failure = explain(error);
    } finally {
      this.isWorking = false;
    }
  }

  private forks(asked: Deletion): TemplateResult | typeof nothing {
    if (asked.forkCount === 0 && asked.records === 0) return nothing;
    const more = asked.forkCount - Math.min(asked.forks.length, MOST_NAMED);
    const forks = asked.forkCount === 1 ? "fork" : plural(asked.forkCount, "fork");
    const records = asked.records === 1 ? "record of a sub-agent" : plural(asked.records, "record of a sub-agent", "records of sub-agents");
    const what = [asked.forkCount > 0 ? forks : "", asked.records > 0 ? records : ""].filter(Boolean).join(" and ");
    return html`<label class="check"><input type="checkbox" .checked=${this.family} @change=${(event: Event) => (this.family = (event.target as HTMLInputElement).checked)}> Delete its ${what} too</label>
      ${asked.forkCount > 0 ? html`<ul class="forks">${asked.forks.slice(0, MOST_NAMED).map(({ title }) => html`<li>${oneLine(title, 90)}</li>`)}${more > 0 ? html`<li>and ${plural(more, "more fork")}</li>` : nothing}</ul>
        <p class="muted">${this.family ? "" : asked.forkCount === 1 ? "Leave this unchecked to keep the fork." : "Leave this unchecked to keep the forks."}</p>` : nothing}`;
  }

  protected override render(): TemplateResult {
    const { asked } = this;
    return html`<dialog class="question" aria-labelledby="delete-title" @close=${this.closed}>
      <h2 id="delete-title">Delete this session?</h2>
      ${asked ? html`<p class="question-what">${oneLine(asked.title, 160)}</p>
        <p>It will be moved to the trash.</p>
        ${this.forks(asked)}` : nothing}
      ${this.failure ? html`<p class="notice is-bad">${this.failure}</p>` : nothing}
      <div class="question-buttons"><button data-cancel @click=${() => this.close()}>Cancel</button>
        <button class="is-dangerous" ?disabled=${this.isWorking || Boolean(asked?.refused)} @click=${() => void this.carryOut()}>Delete</button></div>
    </dialog>`;
  }
}

function told({ sessions, canRestore }: Deleted): string {
  const what = sessions === 1 ? "Session moved to the trash" : `${plural(sessions, "session")} moved to the trash`;
  return canRestore ? `${what}; \`pitree restore\` brings ${sessions === 1 ? "it" : "them"} back` : what;
}
