/** Alone in its file, because pages without islands need no other icon in their script. */
export const CLOSE = ['M6 6l12 12', 'M18 6L6 18'] as const
