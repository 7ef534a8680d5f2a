import { CODE, CODE_EVENTS, type CodeEvent } from '#backend/codes/events.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { Start } from '../engine/starts.ts'

type Redemption = Readonly<{ codeId: string; userId: string; credits: number }>

/**
 * Grants the credits of each redemption, without a workflow. The request that redeemed the code grants them, too; it may have
 * died in between.
 */
export function codeTrigger(
  readOpenWork: () => Promise<OpenWork<Redemption>>,
  grantCode: (userId: string, codeId: string, amount: number) => Promise<unknown>,
): LogTrigger<CodeEvent, Redemption> {
  const grant = ({ codeId, userId, credits }: Redemption): Start => ({
    entity: `${codeId} ${userId}`,
    priority: 1,
    run: () => grantCode(userId, codeId, credits),
  })
  return {
    category: CODE,
    schemas: CODE_EVENTS,
    readOpenWork,
    resume: grant,
    react: ({ type, data }) => (type === 'CodeRedeemed' ? grant(data) : undefined),
  }
}
