// A part that this Pi does not have is null; a part on which it throws says so.
export function attempt(part) {
  try {
    return part() ?? null;
  } catch (error) {
    return { throws: String(error?.message ?? error) };
  }
}
