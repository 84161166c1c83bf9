"""Variable names for columns that clash with no keyword, macro or name of the program.

In the scope of the variables, the names of an exported program begin with an underscore (Python,
JavaScript), are methods and types (Java), or are macros in capitals (C). A variable begins with a
letter and, in C, has a lower-case letter as its first or second character, unlike the upper-case
macros of system headers. Keywords and the few lower-case macros get an underscore at their end.
"""

from __future__ import annotations

import re
from typing import Literal

from penjing.export.plan import Plan

Language = Literal["python", "javascript", "java", "c"]
MAX_LENGTH = 40
"""Longer names are replaced by the number of the column."""

# Letters that every version of these languages allows: those of Unicode 1.1.
_LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fa5][\w\u4e00-\u9fa5]*", re.ASCII)
_ASCII = re.compile(r"[A-Za-z]\w*", re.ASCII)
_NOT_UPPER_CASE = re.compile(r"[a-z]|[A-Z][a-z]")

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
_LOWER_CASE_MACROS = """
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
    "c": frozenset((_C_FAMILY + _LOWER_CASE_MACROS).split()),
}
"""Reserved names: keywords of all versions, and for C also lower-case macros."""


def column_variables(plan: Plan, language: Language) -> dict[int, str]:
    """Return a unique variable for each column: its name if that is possible."""
    letters = _ASCII if language == "c" else _LETTERS
    variables: dict[int, str] = {}
    taken = set(RESERVED[language])
    for c in plan.columns:
        name = re.sub(r"[\s.-]+", "_", plan.name(c))
        if not letters.fullmatch(name) or len(name) > MAX_LENGTH:
            name = f"x{c}"
        if language == "c" and not _NOT_UPPER_CASE.match(name):
            name += "_"
        while name in taken:
            name += "_"
        taken.add(name)
        variables[c] = name
    return variables
