/**
 * Returns the key of an event, or undefined while an input method composes text: the key is then for the input method.
 * Safari reports the Enter that ends a composition after its end, with the key code 229.
 */
export const typedKey = (event: Pick<KeyboardEvent, 'key' | 'isComposing' | 'keyCode'>): string | undefined =>
  event.isComposing || event.keyCode === 229 ? undefined : event.key
