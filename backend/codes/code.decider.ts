import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { CodeCommand } from './commands.ts'
import { CODE, CODE_EVENTS, type CodeEvent, type CodeTerms } from './events.ts'

type Issued = Omit<CodeTerms, 'label'> & Readonly<{ redeemedBy: readonly string[]; isVoid: boolean }>
/** Null: no such code was issued. */
export type Code = Issued | null

function evolve(code: Code, event: CodeEvent): Code {
  switch (event.type) {
    case 'CodeIssued': {
      const { credits, uses, audience, expiresAt } = event.data
      return { credits, uses, audience, expiresAt, redeemedBy: [], isVoid: false }
    }
    case 'CodeRedeemed':
      return code && { ...code, redeemedBy: [...code.redeemedBy, event.data.userId] }
    case 'CodeVoided':
      return code && { ...code, isVoid: true }
  }
}

/** Does not say why: the answer must not help to guess codes. */
export const unknownCode = (): Rejection =>
  new Rejection(
    'unknown_code',
    'This code cannot be redeemed. It is mistyped, used up, expired, or not for your account.',
  )

function decide(command: CodeCommand, code: Code): readonly CodeEvent[] {
  switch (command.type) {
    case 'IssueCode': {
      const { type: _, ...data } = command
      return code ? [] : [{ type: 'CodeIssued', data }]
    }
    case 'RedeemCode': {
      const { codeId, userId, isNew, at } = command
      if (!code || !isRedeemable(code, at) || code.redeemedBy.includes(userId)) throw unknownCode()
      if (code.audience === 'new' && !isNew) throw unknownCode()
      return [{ type: 'CodeRedeemed', data: { codeId, userId, credits: code.credits, at } }]
    }
    case 'VoidCode': {
      const { codeId, by, at } = command
      if (!code) throw new Rejection('not_found', 'There is no such code.')
      return code.isVoid ? [] : [{ type: 'CodeVoided', data: { codeId, by, at } }]
    }
  }
}

const isRedeemable = ({ uses, redeemedBy, expiresAt, isVoid }: Issued, at: string) =>
  !isVoid && redeemedBy.length < uses && (expiresAt === null || at < expiresAt)

/** Decides who redeems a code, in one stream per code. See docs/decisions/0070-codes.md. */
export const code: Decider<Code, CodeCommand, CodeEvent> = {
  category: CODE,
  schemas: CODE_EVENTS,
  initial: null,
  evolve,
  decide,
  faultOf: ({ after }) =>
    after && after.redeemedBy.length > after.uses ? `is used ${after.redeemedBy.length} times` : undefined,
  begins: ({ type }) => type === 'IssueCode',
  hashChained: true,
  weight: (state) => 200 + 64 * (state?.redeemedBy.length ?? 0),
}
