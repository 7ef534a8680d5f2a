/** First release with the fault, and the first one without it. */
const WRONG_CHECKPOINTS = ['24.2', '24.10.5'] as const
const OLDEST = '23.10'

/**
 * Returns what is wrong with a release of EventStoreDB or KurrentDB, or undefined. A release that the server does not name
 * is trusted.
 * @param version as the server reports it, such as `24.10.4` or `25.0.1.2941`
 */
export function faultOfRelease(version: string): string | undefined {
  if (!/^\d/.test(version)) return undefined
  const isBefore = (other: string) => compareVersions(version, other) < 0
  if (isBefore(OLDEST)) return `EventStoreDB ${version} is too old. Update it to ${OLDEST} or newer`
  const [from, until] = WRONG_CHECKPOINTS
  if (isBefore(from) || !isBefore(until)) return undefined
  return `EventStoreDB ${version} sends wrong checkpoints to subscriptions. Update it to ${until} or newer`
}

function compareVersions(one: string, other: string): number {
  const left = one.split(/[.-]/).map(Number)
  const differences = other.split(/[.-]/).map((part, index) => (left[index] ?? 0) - Number(part))
  return differences.find((difference) => difference !== 0) ?? 0
}
