"""The style sheet of a report: screens from 320 pixels on, light and dark, and A4 paper."""

from __future__ import annotations

LIGHT = "--ink:#1a1d21;--paper:#fff;--faint:#50575e;--line:#d0d5da;--soft:#f3f5f7;--link:#00558a"
DARK = "--ink:#f0f2f4;--paper:#16191d;--faint:#b6bdc4;--line:#3a4047;--soft:#1f2328;--link:#7cc4f0"

# Words and numbers of tables are never broken: a table wider than the page is scrolled, and only
# a text in the column for long texts may be broken where it has no blank.
# Fonts of both scripts draw signs such as ≤ as wide as Chinese characters, and tables count them as
# Latin letters: they are taken from another font, whose advance of 0.6 is reduced to 0.5.
HALF = """@font-face{font-family:penjing-half;size-adjust:83.1%;
src:local('DejaVu Sans Mono'),local('Menlo'),local('Liberation Mono'),local('Courier New');
unicode-range:U+B1,U+B7,U+D7,U+3B1-3C9,U+2013-2026,U+2190-22FF,U+2500-25FF}
"""
BASE = f"""
:root{{color-scheme:light dark;{LIGHT}}}
.dark{{{DARK}}}
*{{box-sizing:border-box}}
body{{font:15px/1.55 'DejaVu Sans','Segoe UI',Helvetica,Arial,'Noto Sans CJK SC','Microsoft YaHei',
'PingFang SC',sans-serif;color:var(--ink);background:var(--paper);margin:0}}
header,main,footer{{max-width:74rem;margin:0 auto;padding:0 1rem}}
header{{padding-top:1.5rem}}
h1{{font-size:1.6rem;line-height:1.25;margin:0 0 .3rem}}
h1,h2,h3,p,li,figcaption{{overflow-wrap:break-word}}
h2{{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;
border-bottom:1px solid var(--line)}}
h3{{font-size:1rem;margin:1.4rem 0 .3rem}}
a{{color:var(--link)}}
p.f,figcaption,.note{{color:var(--faint)}}
nav ul{{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;list-style:none;margin:.8rem 0;padding:0}}
nav a{{display:inline-block;padding:.2rem 0}}
.sentences p{{margin:.35rem 0;max-width:62rem}}
.figures{{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0;padding:0;list-style:none}}
.figures li{{background:var(--soft);border:1px solid var(--line);border-radius:6px;
padding:.45rem .8rem;min-width:7.5rem}}
.figures strong{{display:block;font-size:1.35rem;white-space:nowrap;
font-variant-numeric:tabular-nums}}
.figures span{{color:var(--faint);font-size:.87rem}}
.wide,figure{{overflow-x:auto;max-width:100%}}
figure{{margin:.6rem 0}}
h3+p.f,.legend,.legend+p.f,.legend+p.f+p.f{{font-size:.82rem;margin:.25rem 0}}
.legend{{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;list-style:none}}
.legend li{{display:flex;align-items:baseline;overflow-wrap:anywhere}}
.legend span{{flex:none;width:.75rem;height:.75rem;margin-right:.4rem;
border:1px solid var(--line);border-radius:2px}}
.start{{display:none}}
@media screen and (max-width:600px){{figure{{position:relative}}
.start{{display:block;position:absolute;top:0;width:90%;height:1px;pointer-events:none;
scroll-initial-target:nearest;left:clamp(0px,var(--start)*var(--least) - 45%,var(--least) - 90%)}}}}
figure svg{{display:block;max-width:100%;height:auto;min-width:var(--least,0)}}
.charts{{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}}
table{{border-collapse:collapse;margin:.5rem 0}}
caption{{text-align:left;color:var(--faint);padding-bottom:.2rem}}
th,td{{padding:.25rem .8rem .25rem 0;text-align:left;border-bottom:1px solid var(--line);
vertical-align:top;max-width:min(38rem,55vw);overflow-wrap:normal;word-break:keep-all}}
td.long{{min-width:9rem;overflow-wrap:break-word;word-break:normal}}
th[scope=col]{{white-space:nowrap}}th[scope=row]{{overflow-wrap:break-word}}
td.n,th.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
th.v{{writing-mode:vertical-rl;white-space:nowrap;vertical-align:bottom;padding:.4rem .2rem}}
code{{overflow-wrap:anywhere;font-size:.92em}}
pre{{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.86rem;background:var(--soft);
padding:.6rem .8rem;border-radius:6px}}
pre .table{{display:block;overflow-x:auto;white-space:pre;overflow-wrap:normal}}
pre .wide{{font-family:penjing-half,'Noto Sans Mono CJK SC','Source Han Mono SC','Sarasa Mono SC',
monospace}}
details{{margin:.5rem 0}}summary{{cursor:pointer;color:var(--link)}}
.hit,.warn{{font-weight:bold}}
footer{{color:var(--faint);padding-bottom:2rem}}
@page{{size:A4;margin:14mm}}
"""
PRINT = """
body{font-size:10.5pt}
header,main,footer{max-width:none;padding:0}
nav,details:not([open]){display:none}
.wide,figure,pre .table{overflow:visible}
pre,pre .table{white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:none;padding:0;font-size:8pt}
figure svg{min-width:0;max-height:235mm}.picture figure svg{max-height:205mm}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
table{max-width:100%;font-size:9pt}th,td{padding:.12rem .45rem .12rem 0;max-width:none}
td.long{min-width:0;overflow-wrap:anywhere}th[scope=row]{max-width:17rem}
.dense{font-size:6.5pt}.dense th,.dense td{padding:.05rem .12rem}
.charts{display:block}.charts>*{display:inline-block;vertical-align:top;margin-right:.5rem}
.charts figure.half{width:48%}
h2,h3{break-after:avoid}figure,tr,.figures,.picture{break-inside:avoid}
a{color:inherit;text-decoration:none}
"""


def style_sheet(theme: str, light: str, dark: str) -> str:
    """Return the whole style sheet.

    Parameters
    ----------
    theme : str
        ``auto``, ``light`` or ``dark``.
    light, dark : str
        The CSS variables of the pictures in both themes.
    """
    always = f":root{{{light}}}.dark{{{dark}}}"
    paper = f"@media print{{:root,:root.dark{{color-scheme:light;{LIGHT};{light}}}{PRINT}}}"
    chosen = f"@media screen and (prefers-color-scheme:dark){{:root{{{DARK};{dark}}}}}"
    return HALF + BASE + always + (chosen if theme == "auto" else "") + paper
