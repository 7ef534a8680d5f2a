import { worstPatterns } from '#backend/testing/worstPatterns.ts'
import type { Attacker } from './attacker.ts'
import type { DescribedOperation } from './describedOperations.ts'

const BODY = 63_000
const QUERY = 5_000

/** Sends the worst patterns in every field and parameter of every operation. `every` thins them out. */
export async function sendPatterns(
  attacker: Attacker,
  operations: readonly DescribedOperation[],
  every: number,
): Promise<string> {
  const operator = await attacker.target.newOperator()
  let as = await attacker.target.newAccount()
  let n = 0
  for (const { method, path, access, body, parameters, name } of operations) {
    const headers: Record<string, string> = access === 'operator' ? { cookie: operator } : {}
    const isOperator = access === 'operator'
    const filledPath = path.replaceAll(/\{\w+\}/g, 'x')
    const send = async (target: string, text?: string) => {
      if (++n % every > 0) return
      const type: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' }
      const { status } = await attacker.send({
        method,
        path: target,
        as,
        body: text,
        headers: { ...type, ...headers },
        isOperator,
      })
      if (status === 401 || status === 429) as = await attacker.target.newAccount()
    }
    for (const field of Object.keys(body?.properties ?? {}))
      for (const pattern of worstPatterns(BODY)) await send(filledPath, JSON.stringify({ [field]: pattern }))
    if (body) await send(filledPath, '['.repeat(BODY))
    for (const { name: parameter, in: place } of parameters)
      for (const pattern of place === 'header' ? [] : worstPatterns(QUERY)) {
        const text = encodeURIComponent(pattern).slice(0, 3 * QUERY)
        await send(place === 'path' ? path.replace(`{${parameter}}`, text) : `${filledPath}?${parameter}=${text}`)
      }
    if (attacker.target.hasEnded()) throw new Error(`ended at ${name}`)
  }
  return `${Math.floor(n / every)} of ${n} patterns`
}
