// Components that are drawn again only if one of their properties is another.

import { Component, h, type ComponentType, type FunctionComponent } from "preact";

export function memo<P extends object>(draw: FunctionComponent<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return (Object.keys(next) as (keyof P)[]).some((key) => next[key] !== this.props[key]);
    }

    override render(): ReturnType<typeof h> {
      return draw(this.props) as ReturnType<typeof h>;
    }
  };
}
