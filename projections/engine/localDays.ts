/** A period of calendar days in a time zone, `from` and `to` included (YYYY-MM-DD). */
export interface LocalDays {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** SQL source `span` with the instants `begins` and `ends` (exclusive). Parameters: from, to, time zone. */
export const SPAN = `(select (?::date)::timestamp at time zone z as begins, (?::date + 1)::timestamp at time zone z as ends
  from (select ?::text as z) zone) span`
