// Shows cards while they are typed. The server draws them, by the same rules as everywhere; without this
// script the page has a button that does the same.
(() => {
  const frame = document.querySelector("[data-preview]");
  const said = document.querySelector("[data-preview-said]");
  const form = frame?.closest("form");
  const fields = form ? [...form.querySelectorAll("[data-previews]")] : [];
  if (!fields.length) return;

  const PAUSE_MS = 120;
  let timer = 0;
  let newest = 0;

  async function draw() {
    const mine = ++newest;
    const typed = new URLSearchParams({ preview: "1" });
    fields.forEach((field) => typed.set(field.name, field.value));
    try {
      const answer = await fetch(`${frame.dataset.preview}?${typed}`, { headers: { Accept: "text/html" } });
      const html = answer.ok && !answer.redirected ? await answer.text() : "";
      if (mine !== newest || !html) return;
      frame.innerHTML = html;
      said.textContent = frame.firstElementChild?.dataset.said ?? "";
    } catch {
      // The line is down: what is typed stays, and the form says what is wrong when it is sent.
    }
  }

  fields.forEach((field) => {
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(draw, PAUSE_MS);
    });
  });

  // The cursor stands behind the cards that lie there already.
  const entry = document.activeElement;
  if (fields.includes(entry) && entry.setSelectionRange) entry.setSelectionRange(entry.value.length, entry.value.length);
})();
