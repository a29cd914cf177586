// A key as this computer's keyboard calls it.
const IS_MAC = navigator.userAgent.includes("Mac");

export function KeyName({ name }: { readonly name: string }) {
  const shown = name.startsWith("mod+")
    ? `${IS_MAC ? "⌘" : "Ctrl+"}${name.slice(4).toUpperCase()}`
    : name;
  return (
    <kbd className="rounded border border-line bg-raised px-1.5 font-mono text-xs">{shown}</kbd>
  );
}
