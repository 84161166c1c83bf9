"""How columns are called in a program: never as its language, its headers or itself call a thing.

Everything that a program calls by a name of its own inside the code of the columns begins with an
underscore (Python, JavaScript), stands where only methods and types can (Java), or is a macro in
capitals (C). A column's variable begins with a letter and, in C, has a small letter near its
beginning, as no macro of a system header in capitals has. What is left are keywords, and the few
macros in small letters; such a name gets an underscore at its end.
"""

from __future__ import annotations

import re
from typing import Literal

from penjing.export.plan import Plan

Language = Literal["python", "javascript", "java", "c"]
LONGEST = 40
"""A longer name is replaced by the number of the column."""

# Letters that every version of these languages takes: those of Unicode 1.1.
_LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fa5][\w\u4e00-\u9fa5]*", re.ASCII)
_ASCII = re.compile(r"[A-Za-z]\w*", re.ASCII)
_NO_MACRO = re.compile(r"[a-z]|[A-Z][a-z]")

_C_FAMILY = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool
break case catch char char8_t char16_t char32_t class co_await co_return co_yield compl concept
const const_cast consteval constexpr constinit continue contract_assert decltype default delete do
double dynamic_cast else enum explicit export extern false final float for friend goto if import
inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override
private protected public reflexpr register reinterpret_cast requires restrict return short signed
sizeof static static_assert static_cast struct switch synchronized template this thread_local throw
true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile
wchar_t while xor xor_eq fortran entry
"""
_SMALL_MACROS = """
arm assert cdecl complex cris environ errno far hppa hpux huge i386 imaginary interface linux m32c
m32r m68k m88k math_errhandling max mc68000 min mips near nios2 noreturn ns32000 offsetof pascal
pdp11 pyr sgi sh small sparc stderr stdin stdout sun sun2 sun3 sun4 tahoe True False Bool Status
None Success ultrix unix va_arg vax vms w64 win16 win32 winnt
"""
_PYTHON = """
False None True and as assert async await break case class continue def del elif else except exec
finally for from global if import in is lambda lazy match nonlocal not or pass print raise return
try type while with yield row
"""
_JAVASCRIPT = """
abstract arguments as async await boolean break byte case catch char class const continue debugger
default delete do double else enum eval export extends false final finally float for from function
get goto if implements import in instanceof int interface let long native new null of package
private protected public return set short static super switch synchronized this throw throws
transient true try typeof undefined using var void volatile while with yield row
"""
_JAVA = """
abstract assert boolean break byte case catch char class const continue default do double else enum
extends false final finally float for goto if implements import instanceof int interface long native
new null package permits private protected public record return sealed short static strictfp super
switch synchronized this throw throws transient true try var void volatile when while yield row
"""
RESERVED: dict[Language, frozenset[str]] = {
    "python": frozenset(_PYTHON.split()),
    "javascript": frozenset(_JAVASCRIPT.split()),
    "java": frozenset(_JAVA.split()),
    "c": frozenset((_C_FAMILY + _SMALL_MACROS).split()),
}
"""What no variable may be called: keywords of all versions, and in C macros in small letters."""


def variables(plan: Plan, language: Language) -> dict[int, str]:
    """Return a variable for each column: its name where that can be one; no two are the same."""
    letters = _ASCII if language == "c" else _LETTERS
    found: dict[int, str] = {}
    taken = set(RESERVED[language])
    for c in plan.columns:
        name = re.sub(r"[\s.-]+", "_", plan.name(c))
        if not letters.fullmatch(name) or len(name) > LONGEST:
            name = f"x{c}"
        if language == "c" and not _NO_MACRO.match(name):
            name += "_"
        while name in taken:
            name += "_"
        taken.add(name)
        found[c] = name
    return found
