"""The pictures of the lab: a contact sheet of every screen, the picture of the README, an animation.

``python docs/site/lab_pictures.py [sheet] [readme] [animation]`` starts the real server, drives it in
Chromium, and writes docs/pictures/lab-sheet.png, lab-en.png, lab-zh.png, lab-en.gif and lab-zh.gif. It
needs ``penjing[lab]``, Playwright with Chromium, and Pillow.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from penjing.webapp.lab_state import Lab
from penjing.webapp.server import LabServer

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
SIZES = {"wide": (1400, 900), "narrow": (390, 800)}
MOST_BYTES = 1_500_000
"""The largest animation."""
SCREENS = ("start", "data", "tree", "compare", "exercise", "finish")
LANGUAGES = ("en", "zh")


@contextmanager
def served() -> Iterator[str]:
    """Serve a lab while a block runs; its address."""
    server = LabServer(Lab())
    is_ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(is_ready.set,))
    thread.start()
    try:
        is_ready.wait(30)
        yield server.address
    finally:
        server.stop()
        thread.join(30)


@contextmanager
def chromium() -> Iterator[Any]:
    """Open Chromium while a block runs."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--no-sandbox", "--disable-gpu"] if os.geteuid() == 0 else ["--disable-gpu"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=flags)
        try:
            yield browser
        finally:
            browser.close()


class Tour:
    """Goes through the lab and takes a picture where it is told to.

    Parameters
    ----------
    browser : Browser
        Chromium.
    address : str
        The address of the lab with its token.
    lang, theme : str
        The language and the colours.
    size : tuple
        The width and the height of the window.
    scale : float
        How many pixels a picture has for one of the window.
    """

    def __init__(
        self,
        browser: Any,
        address: str,
        lang: str,
        theme: str,
        *,
        size: tuple[int, int],
        scale: float = 1,
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,
            device_scale_factor=scale,
        )
        self.page = self.context.new_page()
        self.page.goto(f"{address}&lang={lang}")
        self.page.wait_for_selector("main.start")
        self.shots: list[Image.Image] = []

    def settle(self) -> None:
        """Wait until no request is on its way."""
        self.page.wait_for_timeout(250)
        while self.page.evaluate("document.querySelector('.penjing').dataset.pending") != "0":
            self.page.wait_for_timeout(50)
        self.page.wait_for_timeout(100)

    def shoot(self) -> None:
        """Take a picture."""
        self.settle()
        self.shots.append(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"))

    def show(self, screen: str) -> None:
        """Show a screen."""
        self.page.locator(".top nav button").nth(SCREENS.index(screen)).click()

    def open(self, example: str, recipe: str, shares: tuple[int, int, int] | None = None) -> None:
        """Open an example and divide its rows; the tree is not grown yet."""
        self.page.locator(f".examples b:text-is('{example}')").click()
        self.page.wait_for_selector("form.division")
        for i, share in enumerate(shares or ()):
            self.page.locator(".division input[type=number]").nth(i).fill(str(share))
        self.page.locator(".division select").select_option(recipe)

    def grow(self) -> None:
        """Grow the tree."""
        self.page.locator(".division button[type=submit]").click()
        self.page.wait_for_selector(".candidates")

    def candidate(self, column: str) -> None:
        """Show a candidate of the selected node."""
        self.page.locator(".candidates > li > button", has_text=column).click()

    def split(self) -> None:
        """Use the split that is shown."""
        self.page.locator(".candidate .primary").click()


def every_screen(tour: Tour) -> None:
    """Take a picture of every screen and every tab."""
    page = tour.page
    tour.shoot()
    tour.open("watermelon3.0", "cart-binary", (60, 20, 20))
    tour.shoot()
    tour.grow()
    tour.candidate("密度")
    page.wait_for_selector(".curve")
    tour.shoot()
    tour.split()
    tour.shoot()
    page.locator("#lab-tab-prune").click()
    page.locator("section.prune p button").first.click()
    for tab in ("prune", "rules", "score"):
        page.locator(f"#lab-tab-{tab}").click()
        tour.shoot()
    tour.show("compare")
    tour.shoot()
    tour.show("finish")
    page.locator(".finish .primary").click()
    tour.shoot()
    tour.show("exercise")
    page.locator(".exercise .primary").click()
    for text in ("17", "3"):
        field = page.locator(".blanks input:not([readonly])").first
        field.fill(text)
        field.press("Enter")
        tour.settle()
    page.locator(".blank .acts button").nth(1).click()
    tour.shoot()
    tour.context.close()


def contact_sheet(browser: Any, address: str) -> None:
    """Write small copies of all screens, in both languages, themes and sizes."""
    rows = []
    for lang, theme in (("en", "light"), ("zh", "dark"), ("zh", "light"), ("en", "dark")):
        for size in SIZES.values():
            tour = Tour(browser, address, lang, theme, size=size)
            every_screen(tour)
            rows.append([_small(shot, 320) for shot in tour.shots])
    wide = max(sum(shot.width + 8 for shot in row) for row in rows)
    high = sum(max(shot.height for shot in row) + 8 for row in rows)
    sheet = Image.new("RGB", (wide, high), "#808080")
    y = 0
    for row in rows:
        x = 0
        for shot in row:
            sheet.paste(shot, (x, y))
            x += shot.width + 8
        y += max(shot.height for shot in row) + 8
    sheet.quantize(128).save(PICTURES / "lab-sheet.png", optimize=True)


def _small(shot: Image.Image, high: int) -> Image.Image:
    return shot.resize((round(shot.width * high / shot.height), high), Image.Resampling.LANCZOS)


def readme_pictures(browser: Any, address: str) -> None:
    """Write the picture of the README in both languages."""
    for lang in LANGUAGES:
        tour = Tour(browser, address, lang, "light", size=(1280, 800), scale=1.25)
        tour.open("watermelon3.0", "cart-binary", (100, 0, 0))
        tour.grow()
        tour.candidate("密度")
        tour.page.wait_for_selector(".curve")
        tour.page.locator(".why h3").hover()  # the branches of what is pointed at hide others
        tour.shoot()
        tour.shots[0].quantize(128).save(PICTURES / f"lab-{lang}.png", optimize=True)
        tour.context.close()


def animations(browser: Any, address: str) -> None:
    """Write an animation in both languages: grow, look, change a split, undo, prune."""
    for lang in LANGUAGES:
        tour = Tour(browser, address, lang, "light", size=(1120, 700))
        page = tour.page
        tour.shoot()
        tour.open("watermelon2.0", "id3")
        tour.shoot()
        tour.grow()
        tour.shoot()
        tour.candidate("脐部")
        tour.shoot()
        tour.split()
        page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
        tour.shoot()
        page.locator("[role=treeitem]").nth(1).click()
        tour.shoot()
        page.keyboard.press("Delete")
        page.wait_for_selector(".trail li:nth-child(3) [aria-current=step]")
        tour.shoot()
        page.keyboard.press("Control+z")
        page.wait_for_selector(".trail li:nth-child(2) [aria-current=step]")
        tour.shoot()
        page.locator("#lab-tab-prune").click()
        page.locator(".prune-path input").fill("1")
        tour.shoot()
        page.locator(".prune-path .primary").click()
        page.wait_for_selector(".trail li:nth-child(4) [aria-current=step]")
        tour.shoot()
        tour.context.close()
        _save_animation(tour.shots, PICTURES / f"lab-{lang}.gif")


def _save_animation(shots: list[Image.Image], path: Path) -> None:
    first, *others = (shot.quantize(64) for shot in shots)
    first.save(path, save_all=True, append_images=others, duration=1800, loop=0, optimize=True)
    size = path.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"{path.name} has {size:,} bytes, more than {MOST_BYTES:,}")


WORKS: dict[str, Callable[[Any, str], None]] = {
    "sheet": contact_sheet,
    "readme": readme_pictures,
    "animation": animations,
}


def main() -> None:
    """Write what the command line names; everything by default."""
    with served() as address, chromium() as browser:
        for name in sys.argv[1:] or WORKS:
            WORKS[name](browser, address)


if __name__ == "__main__":
    main()
