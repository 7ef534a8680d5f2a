/** Returns the first `count` characters of a text. Unlike `slice`, it does not cut an emoji or a rare Chinese character in two. */
export const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('')
