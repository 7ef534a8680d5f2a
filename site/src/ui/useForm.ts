import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import type * as z from 'zod/mini'
import { ApiError } from '../api/apiError.ts'
import { check, type Faults } from '../api/check.ts'
import { codeText } from '../api/errorText.ts'

/** Validates a native form with a contract's schema, shows errors beside their fields and focuses the first one. */
export function useForm<S extends z.ZodMiniType>(schema: S, send: (value: z.output<S>) => Promise<void>) {
  const form = useRef<HTMLFormElement>(null)
  const [faults, setFaults] = useState<Faults>({})
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  // Disable submission until hydration: otherwise, the browser would submit the form itself, password included.
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])

  useEffect(() => {
    if (Object.keys(faults).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [faults])

  /** Validates the form with another schema and sends the value elsewhere. */
  const submitAs = async <A extends z.ZodMiniType>(rules: A, deliver: (value: z.output<A>) => Promise<void>) => {
    if (busy || !form.current) return
    setProblem(undefined)
    const read = check(rules, Object.fromEntries(new FormData(form.current)))
    setFaults(read.ok ? {} : read.faults)
    if (!read.ok) return
    setBusy(true)
    try {
      await deliver(read.value)
    } catch (error) {
      const named = error instanceof ApiError ? error.faults : []
      const known = named.filter(({ path }) => form.current?.elements.namedItem(path))
      setFaults(Object.fromEntries(known.map(({ path, code }) => [path, code])))
      if (known.length === 0) setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    void submitAs(schema, send)
  }

  const clear = (name: string) => {
    if (!(name in faults)) return
    const { [name]: _, ...rest } = faults
    setFaults(rest)
  }
  /** Returns the props of a field by its name. */
  const field = (name: string) => ({
    name,
    fault: faults[name] === undefined ? undefined : codeText(faults[name]),
    onInput: () => clear(name),
  })
  return {
    form: { ref: form, onSubmit, noValidate: true, method: 'post' as const },
    field,
    problem,
    busy,
    ready,
    submitAs,
  }
}
