// The notes and warnings of a result.

export function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="quality-notes">
      <summary>Notes ({notes.length})</summary>
      <ul>
        {notes.map((note, index) => (
          <li key={index}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
