import { isLoopback } from '../../kernel/isLoopback.ts'
import type { Environment } from './environment.ts'

/** Development serves emails, payments and the clock to anyone who can connect, so it listens on loopback only. */
export function openDevelopmentFaults({ HOST, KINORA_ALLOW_OPEN_DEVELOPMENT }: Environment): string[] {
  if (isLoopback(HOST) || KINORA_ALLOW_OPEN_DEVELOPMENT) return []
  return [
    `HOST is ${HOST}, so other machines could read all emails and move the clock: set NODE_ENV=production, or ` +
      'KINORA_ALLOW_OPEN_DEVELOPMENT=1 if only trusted machines can reach this port',
  ]
}
