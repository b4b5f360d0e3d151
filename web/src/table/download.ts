/** Saves data as a JSON file, as any link to a file would. */
export function downloadJson(data: unknown, name: string): void {
  downloadFile(new Blob([`${JSON.stringify(data, null, 1)}\n`], { type: 'application/json' }), name)
}

export function downloadFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
