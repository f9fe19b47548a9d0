// Styles that are computed. Lit's own directive writes the attribute `style` at first, which the page's policy
// forbids; this one sets properties from the start.

import { noChange } from "lit";
import { directive, Directive, type AttributePart, type PartInfo, PartType } from "lit/directive.js";

class Styles extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ATTRIBUTE || part.name !== "style") throw new Error("styles() belongs into `style`");
  }

  override render(_values: Record<string, string>): typeof noChange {
    return noChange;
  }

  override update(part: AttributePart, [values]: [Record<string, string>]): typeof noChange {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) style.setProperty(name, value);
    return noChange;
  }
}

export const styles = directive(Styles);
