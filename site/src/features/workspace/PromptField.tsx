import { useStore } from '@nanostores/react'
import { PROMPT_MAX } from '#backend/tasks/contract.ts'
import { codeText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Fault } from '../../ui/Field.tsx'
import { $faults, $generation, $promptLength, setPrompt } from './generation.ts'
import { MovementChips } from './movements/MovementChips.tsx'
import { LinesSwitch } from './prompts/LinesSwitch.tsx'
import { PromptTools } from './prompts/PromptTools.tsx'
import { TemplateSlots } from './prompts/TemplateSlots.tsx'

/** Prompt field with a character count. */
export function PromptField() {
  const t = translate()
  const { prompt, taskType } = useStore($generation)
  const length = useStore($promptLength)
  const fault = useStore($faults).prompt ?? (length > PROMPT_MAX ? 'prompt_too_long' : undefined)
  return (
    <div className="stack field">
      <div className="line spread field-row">
        <label htmlFor="prompt" className="label">
          {t(taskType === 'text_to_video' ? 'workspace.form.prompt' : 'workspace.form.promptOptional')}
        </label>
        <PromptTools />
        <span className={fault === 'prompt_too_long' ? 'hint counter-over' : 'hint'} aria-hidden="true">
          {length}/{PROMPT_MAX}
        </span>
      </div>
      <textarea
        id="prompt"
        name="prompt"
        className="input"
        value={prompt}
        placeholder={t('workspace.form.promptPlaceholder')}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? 'prompt-fault prompt-count' : 'prompt-count'}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <MovementChips />
      <TemplateSlots />
      <LinesSwitch />
      <span className="sr-only" id="prompt-count">
        {t('workspace.form.counter', { count: length, max: PROMPT_MAX })}
      </span>
      {fault && <Fault id="prompt-fault" text={codeText(fault)} />}
    </div>
  )
}
