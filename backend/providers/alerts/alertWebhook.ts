import type { SendAlert } from '../../operators/alerts/alertChannel.port.ts'

const TIMEOUT_MS = 10_000

/**
 * Creates a channel that posts alerts to a web address as JSON. `text` is what chat services show.
 * @param board address of the operator's board
 */
export const alertWebhook =
  (url: string, board: () => string): SendAlert =>
  async (news) => {
    const text = `Kinora: ${news.code} is ${news.state}. ${news.detail} ${board()}`
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...news, board: board(), text }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`ALERT_WEBHOOK answered ${answer.status}`)
  }
