import type { CustomFetch } from 'openid-client'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

/** `fetch` that gives up answers that are late or longer than 1 MiB, and follows no redirect. */
export const limitedFetch: CustomFetch = async (url, options) => {
  const init = options as RequestInit
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]
  const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
  if (!answer.body) return answer
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new TypeError('The answer is too long.')
    chunks.push(chunk)
  }
  const { status, headers } = answer
  return new Response(Buffer.concat(chunks), { status, headers })
}
