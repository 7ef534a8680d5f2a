/** A period of calendar days in a time zone, `from` and `to` included (YYYY-MM-DD). */
export interface LocalDays {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** SQL source of the instants `begins` and `ends` (exclusive) of a period. Its parameters are those of {@link LocalDays}. */
export const SPAN = `(select (:from::date)::timestamp at time zone z as begins,
    (:to::date + 1)::timestamp at time zone z as ends
  from (select :timeZone::text as z) zone) span`
