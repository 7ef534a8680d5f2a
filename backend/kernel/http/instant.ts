/** A time as every answer tells it: UTC, ISO 8601 with milliseconds and `Z`, whatever shape it was stored in. */
export const instant = (stored: string): string => new Date(stored).toISOString()

/** The same where there may be none. */
export const instantOrNull = (stored: string | null): string | null => stored && instant(stored)
