/** Returns the element that a selector finds. @throws Error if there is none */
export function part<E extends Element = HTMLElement>(selector: string, within: ParentNode = document): E {
  const found = within.querySelector<E>(selector)
  if (!found) throw new Error(`no ${selector} on this page`)
  return found
}
