"""The form on an empty page, its messages handed straight to the widget: quick, and without Lab."""

import json
from pathlib import Path

from raterbook.rating import Form, front
from tests.browser.desk import Desk

ADDRESS = "http://form.test/"
_THEMES = {  # the values of Lab's own two themes that the form uses
    "light": """:root { --jp-ui-font-color0: #000; --jp-ui-font-color1: rgba(0,0,0,.87);
      --jp-layout-color1: #fff; --jp-layout-color2: #eee; --jp-border-color1: #bdbdbd;
      --jp-brand-color1: #1976d2; background: #fff; }""",
    "dark": """:root { --jp-ui-font-color0: #fff; --jp-ui-font-color1: rgba(255,255,255,.87);
      --jp-layout-color1: #212121; --jp-layout-color2: #424242; --jp-border-color1: #616161;
      --jp-brand-color1: #2196f3; background: #212121; }""",
}
_MOUNT = """async ([script]) => {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const widget = await import(url);
  const listeners = new Set();
  const hear = (said) => listeners.forEach((action) => action(said));
  window.__kernel = { alive: true, misses: 0, hear };
  const model = {
    on: (_, action) => listeners.add(action),
    off: (_, action) => listeners.delete(action),
    send: async (content) => {
      if (!window.__kernel.alive) return;
      if (window.__kernel.misses > 0) return void (window.__kernel.misses -= 1);
      const answer = await window.__answer(JSON.stringify(content));
      if (answer !== null) for (const action of listeners) action(JSON.parse(answer));
    },
  };
  widget.default.render({ model, el: document.querySelector('main') });
}"""


class BareDesk(Desk):
    def __init__(self, page, form: Form, database: Path, theme: str = "light"):
        self.page, self.widget, self._database = page, form, database
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        light = "true" if theme == "light" else "false"
        page.route(
            ADDRESS,
            lambda route: route.fulfill(
                content_type="text/html",
                body=f"<!doctype html><html lang=en><meta charset=utf-8><title>Form</title>"
                f"<style>{_THEMES[theme]} body {{ margin: 0 }}</style>"
                f"<body data-jp-theme-light={light}><main></main>",
            ),
        )
        page.expose_function("__answer", self._answer)

    def _answer(self, content: str):
        answer = self.widget.answer(json.loads(content))
        return None if answer is None else json.dumps(answer)

    def open(self, run: bool = True) -> "BareDesk":
        self.page.goto(ADDRESS)
        self.page.add_style_tag(content=front.style())
        self.page.evaluate(_MOUNT, [front.script()])
        self.form.locator(".rb-questions > *").first.wait_for()
        return self

    def from_elsewhere(self, content) -> None:
        """What another tab sends; the kernel's answer reaches all tabs."""
        self.page.evaluate("said => window.__kernel.hear(said)", self.widget.answer(content))

    @property
    def database(self) -> Path:
        return self._database
