/** A period of calendar days in a time zone, `from` and `to` included (YYYY-MM-DD). */
export type LocalDays = Readonly<{ from: string; to: string; timeZone: string }>

/** SQL source of the instants `begins` and `ends` (exclusive) of a period. Its parameters are those of {@link LocalDays}. */
export const SPAN = `(select (:from::date)::timestamp at time zone z as begins,
    (:to::date + 1)::timestamp at time zone z as ends
  from (select :timeZone::text as z) zone) span`
