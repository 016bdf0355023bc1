// The first page while it is looked at. htmx asks for what is new; this keeps the focus where it was when a part
// is drawn anew, and says so when no answer comes: then what is shown may be over, and no clock runs.
(() => {
  const root = document.documentElement;
  const lost = document.getElementById("live-lost");
  if (!lost) return;

  const PARTS = "#live, #live-head, [id^=nav-count-]";
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: lost.dataset.zone });
  const isPoll = (event) => event.detail.elt?.id === "live";
  let heardAt = Date.now();
  let isPressed = false;
  let kept = null;

  function say(isLost) {
    lost.firstElementChild.hidden = !isLost;
    root.classList.toggle("bc-is-lost", isLost);
    if (!isLost) return;
    const words = lost.querySelector("[data-says]");
    words.textContent = words.dataset.says.replace("{time}", clock.format(heardAt));
    // What counts up or down here is not known any more.
    document.querySelectorAll("#live [data-until], #live [data-since]").forEach((place) => {
      place.textContent = "–";
    });
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!isPoll(event)) return;
    if (event.detail.successful) heardAt = Date.now();
    say(!event.detail.successful);
  });

  // Links are found again by where they lead; of several that lead there, by which of them it was.
  const alike = (part, href) => [...document.getElementById(part).querySelectorAll("a[href]")].filter((link) => link.getAttribute("href") === href);

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!isPoll(event)) return;
    if (isPressed) {
      event.detail.shouldSwap = false; // a click is under way; the next poll brings it
      return;
    }
    const here = document.activeElement;
    const part = here?.closest(PARTS);
    if (!part) return;
    const href = here.getAttribute("href");
    const section = here.closest("section")?.getAttribute("aria-labelledby");
    kept = { part: part.id, href, section, number: alike(part.id, href).indexOf(here) };
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!kept) return;
    const { part, href, section, number } = kept;
    kept = null;
    if (document.activeElement && document.activeElement !== document.body) return;
    const links = alike(part, href);
    const place =
      links[number] ??
      links[0] ??
      document.querySelector(`#live [aria-labelledby="${section}"]`) ??
      document.getElementById(part).parentElement.querySelector("a") ??
      document.getElementById("content");
    if (!place.matches("a")) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  });

  document.addEventListener("pointerdown", () => {
    isPressed = true;
  });
  ["pointerup", "pointercancel", "dragend", "blur"].forEach((name) => {
    window.addEventListener(name, () => {
      isPressed = false;
    });
  });
})();
