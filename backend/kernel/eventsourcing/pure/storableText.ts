/**
 * Returns the first `max` UTF-16 units of a text of unknown origin, without what the event store and Postgres reject: NUL
 * characters and halves of surrogate pairs.
 * @example storableText('done 🎬', 6) // 'done '
 */
export const storableText = (text: string, max: number): string =>
  text
    .slice(0, max)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replaceAll('\0', '')
    .toWellFormed()
