/** The shortest module that imports one function without arguments: a header, a type, an import. */
export function wasmImporting(module: string, name: string): Uint8Array {
  const text = (value: string): readonly number[] => [value.length, ...Buffer.from(value, "latin1")];
  const section = (id: number, content: readonly number[]): readonly number[] => [
    id,
    content.length,
    ...content,
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 0, 0]),
    ...section(2, [1, ...text(module), ...text(name), 0x00, 0]),
  ]);
}
