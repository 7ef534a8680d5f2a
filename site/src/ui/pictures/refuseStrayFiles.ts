/** Keeps a file that is dropped beside a drop zone from replacing the page. Returns what ends it. */
export function refuseStrayFiles(): () => void {
  const end = new AbortController()
  const refuse = (event: DragEvent) => {
    // A zone has accepted it, or it is text for a field.
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  // On the window, which events reach after the zones that React attaches to its roots.
  window.addEventListener('dragover', refuse, { signal: end.signal })
  window.addEventListener('drop', refuse, { signal: end.signal })
  return () => end.abort()
}
