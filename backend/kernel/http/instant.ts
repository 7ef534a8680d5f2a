/** Converts a timestamp to ISO 8601 in UTC. @example instant('2026-01-01 01:00:00+01') // '2026-01-01T00:00:00.000Z' */
export const instant = (stored: string): string => new Date(stored).toISOString()

export const instantOrNull = (stored: string | null): string | null => stored && instant(stored)
