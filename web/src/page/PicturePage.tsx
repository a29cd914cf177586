// One page as the server draws it: of a picture, or of an office file.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { raw } from "../api/client";
import type { PageWithQuotes } from "../api/types";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Marks } from "./Marks";
import { Sheet } from "./Sheet";
import type { Hits } from "./useHitsOnPage";

const DPI = 144;

interface PicturePageProps {
  readonly document: string;
  readonly version: number;
  readonly number: number;
  readonly zoom: number;
  readonly found: PageWithQuotes;
  readonly hits: Hits | undefined;
}

export function PicturePage({ document, version, number, zoom, found, hits }: PicturePageProps) {
  const { t } = useTranslation();
  const picture = useQuery({
    queryKey: ["picture", document, version, number],
    queryFn: async ({ signal }) =>
      (await raw(`/v1/documents/${document}/pages/${number}.png?dpi=${DPI}`, { signal })).blob(),
    retry: false,
  });
  if (picture.isError) {
    return <ProblemNotice error={picture.error} onRetry={() => void picture.refetch()} />;
  }
  if (!picture.data) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  const label = t("page.number", { page: number });
  return (
    <Sheet number={number} ratio={found.width_points / found.height_points} zoom={zoom}>
      {() => (
        <>
          <Picture content={picture.data} label={label} />
          <Marks found={found} hits={hits} />
        </>
      )}
    </Sheet>
  );
}

function Picture({ content, label }: { readonly content: Blob; readonly label: string }) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(content);
    if (image.current !== null) image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [content]);
  return <img ref={image} alt={label} className="absolute inset-0 size-full" />;
}
