import { seeded } from '#backend/testing/seeded.ts'
import type { Attacker } from './attacker.ts'
import { oddValue, pick } from './generate.ts'

const TYPES = ['BILLING.SUBSCRIPTION.ACTIVATED', 'PAYMENT.SALE.COMPLETED', 'CUSTOMER.DISPUTE.CREATED', 'x']
const HOSTS = [
  'https://api.paypal.com',
  'https://api.paypal.com.evil.example',
  'http://169.254.169.254',
  'file:///etc',
  '',
]

/** Sends notifications in the names of the payment and video providers. None may be accepted. */
export async function webhooks(attacker: Attacker, count: number, seed: number): Promise<string> {
  const random = seeded(seed)
  const victim = await attacker.target.newAccount()
  const before = await attacker.call('GET', '/subscriptions/stats', victim)
  for (let n = 0; n < count; n++) {
    const resource = { id: 'I-1', custom_id: victim.id, amount: { total: '9.90', currency: 'USD' }, status: 'ACTIVE' }
    const event = {
      id: `WH-${n}`,
      event_type: pick(random, TYPES),
      resource: random() < 0.5 ? resource : oddValue(random),
    }
    const headers = {
      'content-type': 'application/json',
      'paypal-transmission-id': pick(random, ['x', '', String(n)]),
      'paypal-transmission-time': pick(random, ['2026-11-20T10:00:00Z', 'x']),
      'paypal-cert-url': `${pick(random, HOSTS)}/v1/notifications/certs/CERT-1`,
      'paypal-auth-algo': pick(random, ['SHA256withRSA', 'none']),
      'paypal-transmission-sig': pick(random, ['x', 'A'.repeat(344)]),
    }
    const body = random() < 0.1 ? '{'.repeat(random() * 300_000) : JSON.stringify(event)
    const paypal = await attacker.send({ method: 'POST', path: '/../../webhooks/paypal', body, headers })
    if (paypal.status < 400) attacker.find(`a forged payment webhook is answered with ${paypal.status}`)
    const task = `/../../webhooks/minimax/${victim.id}/${pick(random, ['x', 'A'.repeat(43), '%00', '..'])}`
    const video = await attacker.send({ method: 'POST', path: task, body: JSON.stringify(oddValue(random)), headers })
    if (video.status < 400) attacker.find(`a forged callback is answered with ${video.status}`)
  }
  const after = await attacker.call('GET', '/subscriptions/stats', victim)
  if (after.text !== before.text) attacker.find('forged webhooks changed a subscription')
  return `${count} forged payments and callbacks`
}
