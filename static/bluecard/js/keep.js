// Switching the language, or taking another text, draws the page anew: what was typed in its forms and not sent
// is kept for that one moment in this tab, and put back. Where the page answers a form that was sent, as when
// something in it will not do, all that stands in it was typed.
(() => {
  const KEY = "bluecard-typed";
  const FIELDS = "input:not([type=hidden]):not([type=password]):not([type=file]), textarea, select";

  const isChoice = (field) => field.type === "checkbox" || field.type === "radio";
  // Where no option is marked as chosen, the browser takes the first.
  const firstChosen = (select) => Math.max(0, [...select.options].findIndex((option) => option.defaultSelected));
  const isChanged = (field) =>
    isChoice(field)
      ? field.checked !== field.defaultChecked
      : field.options
        ? field.selectedIndex !== firstChosen(field)
        : field.value !== field.defaultValue;

  const forms = () => [...document.querySelectorAll("#content form, main form")].filter((form) => form.method === "post");
  const nameOf = (form, field) =>
    [new URL(form.action).pathname, field.name, isChoice(field) ? field.value : ""].join("|");

  function keep(besides, wasSent) {
    const typed = [];
    for (const form of forms()) {
      for (const field of form.querySelectorAll(FIELDS)) {
        if (!field.name || besides.includes(field) || !(wasSent || isChanged(field))) continue;
        typed.push([nameOf(form, field), isChoice(field) ? field.checked : field.value]);
      }
    }
    if (typed.length) sessionStorage.setItem(KEY, JSON.stringify(typed));
  }

  function putBack() {
    const typed = new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]"));
    sessionStorage.removeItem(KEY);
    for (const form of forms()) {
      for (const field of form.querySelectorAll(FIELDS)) {
        const value = typed.get(nameOf(form, field));
        if (value !== undefined && isChoice(field)) field.checked = value;
        else if (value !== undefined) field.value = value;
        // What is worked out from it follows, also from what a quick hand typed before any script was there.
        if (isChanged(field)) field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-keeps]")) return;
    const replaced = [...document.querySelectorAll(form.dataset.replaces || "[data-none]")];
    if (replaced.some(isChanged) && !confirm(form.dataset.asks)) {
      event.preventDefault();
      return;
    }
    keep(replaced, form.dataset.keeps === "all");
  });

  putBack();
})();
