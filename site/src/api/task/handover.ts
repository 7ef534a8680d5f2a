/** What the workspace does with a video of the library, and the price that its button showed. */
export type Handover = Readonly<{ action: 'again' | 'continue' | 'remix'; id: string; credits: number }>

/**
 * Storage of this tab. The address cannot carry the action: a link on another site could then spend the user's credits.
 */
const KEY = 'kinora.handover'

export function handOver(handover: Handover): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(handover))
  } catch {
    // Storage is unavailable: the workspace opens with its last form.
  }
}

/** Returns the action that the last page left, once. */
export function takeHandover(): Handover | null {
  try {
    const text = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
