// What elements of the sources are built with; the build puts it into every module.

export { Fragment, h } from "preact";
