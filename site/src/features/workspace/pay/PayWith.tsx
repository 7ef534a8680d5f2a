import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import type { Team } from '#backend/teams/contract.ts'
import { $credits } from '../../../api/credits.ts'
import { $teams, knownTeams, loadTeams, setTeamBalance } from '../../../api/teams.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { HTML_LANG } from '../../../i18n/core.ts'
import { Choices } from '../../../ui/Choices.tsx'
import { Fault } from '../../../ui/Field.tsx'
import { RetryNotice } from '../../../ui/RetryNotice.tsx'
import { Unknown } from '../../../ui/waits/Unknown.tsx'
import { $cost, $prompts } from '../generation.ts'
import { $inProgress } from '../tasks.ts'
import { $payer, $teamBalance } from './payer.ts'

/** Returns what the user may still spend of a team. */
const roomOf = ({ credits_remaining, used, limit }: Team): number =>
  limit === null ? credits_remaining : Math.min(credits_remaining, Math.max(0, limit - used))

/** Lets a team pay, or the user. */
function payWith(id: string | undefined): void {
  const team = knownTeams($teams.get()).find((known) => known.id === id)
  $payer.set(team ? { id: team.id, remaining: roomOf(team) } : null)
}

/** Reads the balances of the teams, again whenever a video or a payment can have changed them. */
function watchTeams(): () => void {
  const load = () => void loadTeams()
  load()
  const ends = [
    $inProgress.listen(load),
    $credits.listen(load),
    $teamBalance.listen((balance) => balance && setTeamBalance(balance.id, balance.remaining)),
    $teams.subscribe((state) => state && state !== 'failed' && payWith($payer.get()?.id)),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Chooses who pays for the video, with the balances. For people in a team. */
export function PayWith() {
  const t = translate()
  const state = useStore($teams)
  const payer = useStore($payer)
  const credits = useStore($credits)
  useEffect(watchTeams, [])
  if (state === 'failed') return <RetryNotice tone="warning" text={t('workspace.pay.failed')} onRetry={loadTeams} />
  const number = (value: number) => value.toLocaleString(HTML_LANG[pageLocale()])
  const left = (count: number) => t('workspace.pay.left', { count: number(count) })
  const own = ({ used, limit }: Team) =>
    limit === null ? [] : [t('workspace.pay.mine', { used: number(used), limit: number(limit) })]
  const teams = knownTeams(state).map((team) => ({
    value: team.id,
    label: team.name,
    note: [left(team.credits_remaining), ...own(team)].join(' · '),
  }))
  return (
    <Choices
      label={t('workspace.pay.label')}
      value={payer?.id ?? ''}
      options={[
        { value: '', label: t('workspace.pay.me'), note: credits ? left(credits.remaining) : <Unknown /> },
        ...teams,
      ]}
      onChange={payWith}
    />
  )
}

/** Says why the team cannot pay for the video: the user's limit is reached, or its balance is too low. */
export function TeamShort() {
  const t = translate()
  const cost = useStore($cost) * useStore($prompts).length
  const payer = useStore($payer)
  const mine = useStore($credits)?.remaining ?? 0
  const team = knownTeams(useStore($teams)).find(({ id }) => id === payer?.id)
  if (!team) return null
  const { used, limit, credits_remaining: remaining } = team
  const isLimited = limit !== null && limit - used < cost
  return (
    <div className="stack gap-1">
      <Fault id="generate-fault" text={t(isLimited ? 'workspace.pay.limit' : 'workspace.pay.short')} />
      <p className="hint">
        {isLimited
          ? t('workspace.pay.limitText', { used, limit, cost })
          : t('workspace.pay.shortText', { remaining, cost })}{' '}
        {mine >= cost && (
          <button type="button" className="link" onClick={() => payWith(undefined)}>
            {t('workspace.pay.useMine')}
          </button>
        )}
      </p>
    </div>
  )
}
