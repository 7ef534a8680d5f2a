/** Returns a stored time as ISO 8601 in UTC with milliseconds and `Z`, as every response has it. */
export const instant = (stored: string): string => new Date(stored).toISOString()

export const instantOrNull = (stored: string | null): string | null => stored && instant(stored)
