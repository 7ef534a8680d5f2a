import { type Deviations, missingPlace } from './deviation.ts'

/** Positions of a log without gaps, and how far its readers have come. */
export interface LogState {
  /** Position of the last event. */
  readonly head: string
  readonly gaps: readonly { readonly position: string; readonly missing: number }[]
  readonly checkpoints: readonly { readonly name: string; readonly position: string | null }[]
}

/** Finds events that were deleted from the log, whatever their stream, and events that were cut off its end. */
export function checkLog({ head, gaps, checkpoints }: LogState, deviations: Deviations): void {
  for (const { position, missing } of gaps) {
    const events =
      missing === 1 ? 'The event at this position of the log is' : `${missing} events from this position on are`
    deviations.add('log', missingPlace({ position }), `${events} missing.`)
  }
  for (const { name, position } of checkpoints)
    if (position !== null && position > head)
      deviations.add('log', missingPlace({ position }), `${name} has read the log up to here; it ends before.`)
}
