/** A fact of the installation by name, such as `plans: 'off'`. */
export type Facts = Readonly<Record<string, string>>

/** Markers also occur in attributes, whose `<` may be escaped, and in JSON. */
const MARKER = /(?:<|&lt;|\\u003c)!--(if \w+=\w+|else|end)--(?:>|&gt;)/

/**
 * Keeps the parts of a text that apply to an installation. Parts may be nested.
 * @example forInstallation('<!--if plans=off-->No plans<!--else-->Plans<!--end-->', { plans: 'off' }) // 'No plans'
 */
export function forInstallation(text: string, facts: Facts): string {
  const shown: boolean[] = []
  let kept = ''
  // The pieces with an odd index are markers.
  text.split(MARKER).forEach((piece, index) => {
    if (index % 2 === 0) kept += shown.every(Boolean) ? piece : ''
    else if (piece === 'end') shown.pop()
    else if (piece === 'else') shown.push(!shown.pop())
    else shown.push(holds(piece.slice('if '.length), facts))
  })
  return kept
}

function holds(condition: string, facts: Facts): boolean {
  const [name = '', value] = condition.split('=')
  return facts[name] === value
}
