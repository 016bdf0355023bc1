// Pages of decisions, quicker: number keys choose, what is typed is worked out at once, nothing is sent twice,
// and the time left runs. Without this script every page does the same by its links and buttons. How far a
// ruling got is asked for by htmx.
(() => {
  const PAUSE_MS = 250;

  const isTyping = (target) => target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !/^(radio|checkbox)$/.test(target.type);

  async function pageOf(address, options) {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, ...options });
    if (answer.redirected && new URL(answer.url).pathname.includes("/login/")) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  // Keys: a number chooses what carries it, a letter follows a button, Ctrl and Enter send the form.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = event.target.closest?.("form[data-ctrl-enter]") ?? document.querySelector("form[data-ctrl-enter]");
      const button = form?.querySelector("button.bc-button-main");
      if (button) {
        event.preventDefault();
        button.click();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    const chosen = /^[1-9]$/.test(key)
      ? document.querySelector(`[data-number="${key}"]`)
      : /^[a-z]$/.test(key) && document.querySelector(`[data-letter="${key}"]`);
    if (chosen) {
      event.preventDefault();
      chosen.click();
    }
  });

  // A browser sends nothing for a date that was typed by half: say so instead of having it called missing.
  document.addEventListener("submit", (event) => {
    const half = [...event.target.elements].find((field) => field.validity?.badInput);
    if (!half) return;
    event.preventDefault();
    half.reportValidity();
  });

  // A form is sent once, however often its button is pressed.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.matches("form[data-once]")) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
  });

  // What is typed is worked out by the server and shown in place.
  document.querySelectorAll("form[data-live]").forEach((form) => {
    let timer = 0;
    let newest = 0;
    async function look() {
      const mine = ++newest;
      const typed = new FormData(form);
      typed.set("do", "look");
      try {
        const page = await pageOf(form.action, { method: "POST", body: typed });
        const fresh = page?.getElementById(form.dataset.live);
        if (mine === newest && fresh) document.getElementById(form.dataset.live).replaceWith(fresh);
      } catch {
        // The line is down: the button that looks still works when it is back.
      }
    }
    form.addEventListener("input", (event) => {
      if (event.target.name === "reason") return;
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE_MS);
    });
  });

  // Choosing what happened, or a fact of it, draws the page anew without leaving it.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-swap]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const note = document.querySelector("#report textarea")?.value ?? "";
    try {
      const page = await pageOf(link.href);
      const fresh = page?.getElementById("report");
      if (!fresh) throw new Error("another page");
      document.getElementById("report").replaceWith(fresh);
      const again = fresh.querySelector("textarea");
      if (again && note) again.value = note;
      history.replaceState(null, "", link.href);
      (fresh.querySelector("[data-focus]") ?? fresh).focus({ preventScroll: true });
    } catch {
      location.assign(link.href);
    }
  });

  // As the server writes it: m:ss, from an hour on h:mm:ss.
  const write = (seconds) => {
    const left = Math.max(0, Math.floor(seconds));
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(left / 3600), Math.floor(left / 60) % 60];
    return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(left % 60)}`;
  };
  const tick = () => {
    if (document.documentElement.classList.contains("bc-is-lost")) return;
    document.querySelectorAll("[data-until]").forEach((place) => {
      place.textContent = write((Date.parse(place.dataset.until) - Date.now()) / 1000);
    });
    document.querySelectorAll("[data-since]").forEach((place) => {
      place.textContent = write((Date.now() - Date.parse(place.dataset.since)) / 1000);
    });
  };
  setInterval(tick, 1000);
  document.addEventListener("htmx:afterSwap", tick);
})();
